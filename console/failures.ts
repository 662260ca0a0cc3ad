import { ApiError, ConnectionError, TimeoutError } from '../sdk/src/index.ts';
import { TEXTS } from './texts.ts';

interface Described {
  readonly message: string;
  readonly requestId?: string | undefined;
}

/** What to show of a failure: the service's own words where there are any. */
export function describeFailure(error: unknown): Described {
  if (error instanceof ApiError) return { message: error.message, requestId: error.requestId };
  if (error instanceof TimeoutError) return { message: TEXTS.failures.timeout };
  if (error instanceof ConnectionError) return { message: TEXTS.failures.connection };
  console.error(error);
  return { message: TEXTS.failures.unexpected };
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

/** True if the service does not accept the API key any more. */
export const isRefusedKey = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;
