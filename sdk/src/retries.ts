/** Which failures are retried, and when. */
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';

/** The time and the randomness of a client. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** Rejects with the reason of the first signal that is aborted. */
  sleep(delayMs: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void>;
}

export const SYSTEM_TIMING: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (delayMs, ...signals) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        for (const signal of signals) {
          signal?.removeEventListener('abort', end);
          if (signal?.aborted) reject(signal.reason);
        }
        resolve();
      };
      const timer = setTimeout(end, delayMs);
      for (const signal of signals) {
        signal?.addEventListener('abort', end);
        if (signal?.aborted) end();
      }
    }),
};

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A longer delay is the decision of the caller. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Whether the service may have processed the request, or still does, although it gave no clear response. */
export const isUnclear = (failure: unknown): boolean =>
  failure instanceof ConnectionError ||
  failure instanceof TimeoutError ||
  (failure instanceof ApiError && isUnclearResponse(failure));

type Status = { readonly status: number; readonly code?: string | undefined };

export const isUnclearResponse = (error: Status): boolean =>
  error.status < 400 || isInProgress(error) || (error.status >= 500 && !isForOperator(error));

const isInProgress = ({ code }: Status): boolean => code === 'idempotency_in_progress';

/** The service did nothing, and does nothing before its operator has acted. */
const isForOperator = ({ code = '' }: Status): boolean =>
  ['storage_full', 'webhooks_unavailable'].includes(code);

/**
 * The delay before the next attempt: exponential, or what the service asked for. A random part spreads clients
 * that failed at the same moment.
 * Undefined if the failure is not retried.
 * @param retries the number of retries so far
 * @param leastMs of a stream: the least delay. A stream goes on for ever, and never waits for longer than a minute
 */
export function retryDelayMs(
  failure: unknown,
  retries: number,
  timing: Timing,
  leastMs?: number,
): number | undefined {
  const spreadMs = Math.min(FIRST_DELAY_MS * 2 ** retries, MAX_DELAY_MS) / 2;
  let minimumMs = spreadMs;
  if (failure instanceof ApiError) {
    const { status, retryAfterMs = minimumMs } = failure;
    const isTransient = [429, 502, 503, 504].includes(status) || isInProgress(failure);
    if (!isTransient || isForOperator(failure)) return undefined;
    if (retryAfterMs > MAX_RETRY_AFTER_MS && leastMs === undefined) return undefined;
    minimumMs = retryAfterMs;
  } else if (!isUnclear(failure)) return undefined;
  const delayMs = Math.min(Math.max(minimumMs, leastMs ?? 0), MAX_RETRY_AFTER_MS);
  return delayMs + spreadMs * timing.random();
}

/** The delay in a Retry-After header, in seconds or as a date (RFC 9110 §10.2.3). */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const header = headers.get('Retry-After') ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  if (!/^[A-Z][a-z]+,/.test(header)) return undefined; // `Date.parse` also reads -1 as a date.
  // Both dates are from the clock of the service, so the clock of the client does not matter.
  const delayMs = Date.parse(header) - (Date.parse(headers.get('Date') ?? '') || now);
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}
