import type { CallOptions } from '../sdk/src/index.ts';

/** The options of a request that reads. The client does not retry it because the page shows why it waits, and for how long. */
export const reading = (signal: AbortSignal): CallOptions => ({ signal, maxRetries: 0 });
