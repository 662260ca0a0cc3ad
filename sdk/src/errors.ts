import type { ErrorCode } from './generated.ts';

/** The code of an error: a known one, or one that a newer service has added. */
export type ApiErrorCode = ErrorCode | (string & {});

/** The base of all errors of this package. An aborted call rejects with the reason of its signal instead. */
export class AnimalStoreError extends Error {
  override readonly name: string = 'AnimalStoreError';

  /**
   * Whether the service may have made the change although the call failed: an attempt of a write got no
   * clear response. Always false for reads.
   */
  readonly outcomeUnknown: boolean = false;
}

/** The service cannot be reached, or the connection failed before the response was complete. */
export class ConnectionError extends AnimalStoreError {
  override readonly name: string = 'ConnectionError';
}

/** An attempt got no complete response within `timeoutMs`. */
export class TimeoutError extends AnimalStoreError {
  override readonly name = 'TimeoutError';
}

/** The service does not support the call: it runs with `EXTENSIONS=off`. */
export class UnsupportedError extends AnimalStoreError {
  override readonly name = 'UnsupportedError';
}

/** What a response said about an error. */
export interface ApiErrorDetails {
  readonly status: number;
  readonly code?: ApiErrorCode | undefined;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The response of the service, or of a proxy in front of it, is an error. */
export class ApiError extends AnimalStoreError implements ApiErrorDetails {
  override readonly name = 'ApiError';
  /** The HTTP status code. 0 for a redirect in a browser, which hides the code. */
  readonly status: number;
  /** The code of the service. Undefined if the response is not from the service. */
  readonly code: ApiErrorCode | undefined;
  readonly headers: Headers;
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The delay that the response asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { status, code, headers, requestId, retryAfterMs }: ApiErrorDetails,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Whether an error is an `ApiError`, with this code if one is given. Unlike `instanceof`, it also recognises
 * an error of another copy of this package.
 */
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError {
  const { name, code: actual } = (error ?? {}) as Partial<ApiError>;
  return name === 'ApiError' && (code === undefined || code === actual);
}
