import { monotonicMs } from '../../../clock.ts';

/** The time at which a wait ends, in milliseconds of the monotonic clock. */
export type Deadline = number;

export const deadlineIn = (ms: number): Deadline => monotonicMs() + ms;

/** 0 after the deadline. */
export const remainingMs = (deadline: Deadline): number => Math.max(0, deadline - monotonicMs());

/** The timeout for the server. It is shorter than ours, so that the connection stays usable after a timeout. */
export const serverTimeoutMs = (ms: number): number => Math.max(1, Math.round(ms * 0.9));
