import { type FieldFault, parseFaults } from './faults.ts';
import type { ErrorCode } from './generated.ts';

/** The code of an error: a known one, or one that a newer service has added. */
export type ApiErrorCode = ErrorCode | (string & {});

/** The request that an error is about. */
export interface RequestFacts {
  /** The host and port of the base URL. */
  readonly host?: string | undefined;
  readonly method?: string | undefined;
  /** Relative to the base URL. Without the query, which may name a person: errors are logged. */
  readonly path?: string | undefined;
  /** The id of the request in the log of the service. The client chooses one, so a timeout has one, too. */
  readonly requestId?: string | undefined;
}

/** The base of all errors of this package. An aborted call rejects with the reason of its signal instead. */
export class AnimalStoreError extends Error implements RequestFacts {
  override readonly name: string = 'AnimalStoreError';

  /**
   * Whether the service may have made the change although the call failed. Then an attempt of a write got no clear response.
   * Always false for reads.
   */
  readonly outcomeUnknown: boolean = false;
  /** Of `pets.bulkCreate`: how many animals precede the part that failed. The option `from` continues there. */
  declare readonly offset?: number;
  declare readonly host: string | undefined;
  declare readonly method: string | undefined;
  declare readonly path: string | undefined;
  declare readonly requestId: string | undefined;

  constructor(message: string, details: RequestFacts & { readonly cause?: unknown } = {}) {
    const { host, method, path, requestId } = details;
    super(message, details);
    Object.assign(this, { host, method, path, requestId });
  }

  /**
   * The message with the request, the status, the code and the id, for logs. Without a response of the service, with the host
   * and the cause. `message` alone is for people.
   */
  override toString(): string {
    const { name, message, host, method, path, requestId, cause } = this as AnimalStoreError;
    const { status, code } = this as Partial<ApiError>;
    const request = [method, path, status, code].filter((fact) => fact !== undefined).join(' ');
    const facts = [
      request,
      code === undefined && host && `host ${host}`,
      requestId && `request ${requestId}`,
      name === 'ConnectionError' && cause !== undefined && `cause: ${reasonOf(cause)}`,
    ];
    const text = facts.filter(Boolean).join(', ');
    return `${name}: ${message}${text && ` (${text})`}`;
  }
}

/** The text of the innermost cause. Without queries and credentials, which the text of a platform may contain. */
function reasonOf(cause: unknown): string {
  const { cause: inner, message, code } = Object(cause) as Partial<ApiError>;
  // Node.js wraps each failure of a connection.
  if (inner !== undefined) return reasonOf(inner);
  const text = String(message || code || cause);
  return text.replace(/(\/\/)[^\s/]*@|\?\S+|(bearer |basic )\S+/gi, '$1$2');
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

/** A request is no webhook of the service: a header is missing, its time is not now, or no secret has signed it. */
export class WebhookVerificationError extends AnimalStoreError {
  override readonly name = 'WebhookVerificationError';
}

/** What a response said about an error. */
export interface ApiErrorDetails extends RequestFacts {
  readonly status: number;
  readonly code?: ApiErrorCode | undefined;
  readonly headers: Headers;
  readonly retryAfterMs?: number | undefined;
}

/** The response of the service, or of a proxy in front of it, is an error. */
export class ApiError extends AnimalStoreError implements ApiErrorDetails {
  override readonly name = 'ApiError';
  /** The HTTP status code. 0 for a redirect in a browser, which hides the code. */
  declare readonly status: number;
  /** The code of the service. Undefined if the response is not from the service. */
  declare readonly code: ApiErrorCode | undefined;
  declare readonly headers: Headers;
  /** The delay that the response asked for. */
  declare readonly retryAfterMs: number | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    const { status, code, headers, retryAfterMs } = details;
    Object.assign(this, { status, code, headers, retryAfterMs });
  }

  /** The invalid fields or parameters, at most ten. Empty if the error is about none. */
  get fields(): FieldFault[] {
    const hasFields = /^(validation_failed|invalid_parameter|read_only_field)$/;
    return hasFields.test(this.code ?? '') ? parseFaults(this.message) : [];
  }
}

/**
 * Whether an error is an `ApiError`, with this code if one is given. Unlike `instanceof`, it also recognises
 * an error of another copy of this package.
 */
export function isApiError<Code extends ApiErrorCode>(
  error: unknown,
  code: Code,
): error is ApiError & { readonly code: Code };
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError;
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError {
  const { name, code: actual } = (error ?? {}) as Partial<ApiError>;
  return name === 'ApiError' && (code === undefined || code === actual);
}
