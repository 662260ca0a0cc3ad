import type { CallOptions } from '../sdk/src/index.ts';

/** The options of a request that reads. The client does not retry it because the page shows why it waits, and for how long. */
export const reading = (signal: AbortSignal): CallOptions => ({ signal, maxRetries: 0 });

/** The options of one of many requests, which nobody sees. A wait of the service is no reason to stop: the page says so, and the user can leave the wait. */
export const patient = (signal: AbortSignal): CallOptions => ({ signal, maxRetries: 10 });
