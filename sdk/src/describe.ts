/** What hooks and callers see of requests and responses. */
import type { ResponseDetails } from './call.ts';
import { ApiError, type RequestFacts } from './errors.ts';
import type { SentRequest } from './hooks.ts';
import type { PreparedRequest } from './prepare.ts';
import type { CachedResponse } from './response-cache.ts';
import { readRetryAfterMs } from './retries.ts';

/** The reason of the end of a stream that nobody reads any longer: no failure. */
export const RETURNED = {};

export const REQUEST_ID = 'X-Request-Id';

/** An attempt to send a request. */
export function toAttempt(
  { method, path, url, init, requestId }: PreparedRequest,
  number: number,
): SentRequest {
  const headers = new Headers(init.headers);
  if (!headers.has(REQUEST_ID)) headers.set(REQUEST_ID, `${requestId}-${number}`);
  return { method, path, url, headers, attempt: number };
}

/** Whether the service says that the resource does not exist. */
export const isGone = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && /^(?!route_).*_not_found$/.test(failure.code ?? '');

/** A cached response with the headers of a 304, which replace its own (RFC 9111, 3.2). */
export function refresh(cached: CachedResponse['headers'], { headers: received }: ResponseDetails) {
  const headers = new Headers(cached as [string, string][]);
  for (const [name, value] of received) headers.set(name, value);
  return describe({ status: 200, headers });
}

/** @param sentId the id of the request if the response has none, such as the response of a proxy */
export const describe = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  sentId?: string,
): ResponseDetails => ({
  status,
  headers,
  etag: headers.get('ETag') ?? undefined,
  requestId: headers.get(REQUEST_ID) ?? sentId,
  replayed: headers.get('Idempotency-Replayed') === 'true',
});

/** The error of a success that is not what the service sends, such as the page of a proxy. */
export const unexpected = (what: string, details: ResponseDetails & RequestFacts): ApiError =>
  new ApiError(
    `The response is ${what}. Its Content-Type is ${details.headers.get('Content-Type')}.`,
    details,
  );

/** The error of a response. @param text its body @param now in milliseconds since 1970 */
export function toError(
  details: ResponseDetails & RequestFacts,
  text: string,
  now: number,
): ApiError {
  const { status, headers } = details;
  let error: { readonly code: string; readonly message: string } | undefined;
  try {
    error = JSON.parse(text);
  } catch {}
  const isFromService = typeof error?.code === 'string' && typeof error.message === 'string';
  const { code, message } = (isFromService && error) || {};
  return new ApiError(message || `The response has the status ${status}.`, {
    ...details,
    code,
    retryAfterMs: readRetryAfterMs(headers, now),
  });
}
