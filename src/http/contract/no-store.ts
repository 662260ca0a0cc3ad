/** The header of a response that no cache may store, the one of the service included. */
export const NO_STORE = { 'Cache-Control': 'no-store' };

/** Declares it for a response that always has it. */
export const ALWAYS_NO_STORE = { 'Cache-Control': 'Always no-store.' };
