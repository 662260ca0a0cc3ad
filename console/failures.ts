import { ApiError, ConnectionError, TimeoutError } from '../sdk/src/index.ts';
import { UnreadableFile } from '../src/transfer/files/unreadable-file.ts';
import { TEXTS } from './texts.ts';
import { isLeft } from './waits.ts';

const MIN_RETRY_DELAY_MS = 1000;

/** A refusal of the page itself. Its message is for people. */
export class Refusal extends Error {}

/** Whether it is about what one request wants, so that others may succeed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Refusal ||
  (error instanceof ApiError && [400, 404, 409, 412].includes(error.status));

/** What to show of a failure: the service's own words where there are any. */
export function describeFailure(error: unknown) {
  if (error instanceof Refusal) return { message: error.message };
  if (hasCode(error, 'precondition_failed')) return { message: TEXTS.failures.changed };
  if (error instanceof UnreadableFile) return { message: TEXTS.transfer.sentence(error.message) };
  if (isLeft(error)) return { message: TEXTS.failures.left };
  if (isRefusedKey(error)) return { message: TEXTS.failures.refused };
  if (error instanceof ApiError) return { message: error.message, requestId: error.requestId };
  if (error instanceof TimeoutError) return { message: TEXTS.failures.timeout };
  if (error instanceof ConnectionError) return { message: TEXTS.failures.connection };
  console.error(error);
  return { message: TEXTS.failures.unexpected };
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** What does not exist is undefined, and deleted as it was to be: by a colleague, or an attempt without a response. */
export const unlessGone =
  (kind: string) =>
  (error: unknown): undefined => {
    if (!hasCode(error, `${kind}_not_found`)) throw error;
  };

/** True if the service does not accept the API key any more. */
export const isRefusedKey = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;

/** The delay before the next attempt, if the service asks for one. Never so short that attempts become a load. */
export const retryDelayMs = (error: unknown): number | undefined =>
  error instanceof ApiError && error.retryAfterMs !== undefined
    ? Math.max(error.retryAfterMs, MIN_RETRY_DELAY_MS)
    : undefined;

/** True for a failure that may be over at once, and for which the service does not ask to wait. */
export function isBrief(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  const isUnavailable = error instanceof ApiError && [502, 503, 504].includes(error.status);
  return isUnavailable && error.retryAfterMs === undefined;
}
