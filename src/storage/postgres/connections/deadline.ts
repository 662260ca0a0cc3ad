import { monotonicMs } from '../../../clock.ts';

/** A moment, in milliseconds of the monotonic clock, after which nobody waits any more. */
export type Deadline = number;

export const deadlineIn = (ms: number): Deadline => monotonicMs() + ms;

export const remainingMs = (deadline: Deadline): number => deadline - monotonicMs();

/** In a transaction: that the server waits for all of it, whatever its sessions and roles have for a limit. */
export const WITHOUT_SERVER_TIMEOUT =
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** When the server is to give up what we wait for: a little earlier, so that its connection can be used again. */
export const serverTimeoutMs = (ms: number): number => Math.max(1, Math.round(ms * 0.9));
