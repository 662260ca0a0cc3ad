import { ERRORS, type Refusal } from '../contract/errors.ts';
import type { AnyResult } from '../contract/handler.ts';
import { NO_STORE } from '../contract/no-store.ts';
import type { CachedResponse } from '../request/cache.ts';
import type { RequestContext } from '../request/context.ts';
import { renderExactJson } from '../request/exact-json.ts';
import { etagOf, matchesTag } from './entity-tags.ts';
import { OUTSIDE_HEADERS, standardHeaders } from './standard-headers.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

type Fields = Readonly<Record<string, string>>;

/** Responds with a value as JSON. */
export function respondJson(
  ctx: RequestContext,
  status: number,
  value: unknown,
  headers?: Fields,
): Response {
  return respond(ctx, status, headers, renderExactJson(value), JSON_TYPE);
}

/**
 * Responds with the result of an operation.
 * @param ifNoneMatch the request's header; null if it has none, undefined if responses have no
 *   entity tags.
 */
export function respondResult(
  ctx: RequestContext,
  { status, body, headers, etagSource }: AnyResult,
  ifNoneMatch: string | null | undefined,
): Response {
  if (body === undefined) return respond(ctx, status, headers);
  const text = body instanceof RenderedJson ? body.text : renderExactJson(body);
  if (ifNoneMatch === undefined || isNoStore(headers)) {
    return respond(ctx, status, headers, text, JSON_TYPE);
  }
  // The link to the next page can change although the items do not.
  const etag =
    etagSource === undefined
      ? etagOf(text, headers?.['Link'])
      : etagOf(renderExactJson(etagSource));
  const withTag = { ...headers, ETag: etag };
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && ifNoneMatch !== null && matchesTag(ifNoneMatch, etag)
    ? respond(ctx, 304, withTag)
    : respond(ctx, status, withTag, text, JSON_TYPE);
}

/** Responds with a stream of events. To HEAD, it responds without the stream. */
export function respondStream(
  ctx: RequestContext,
  status: number,
  headers: Fields | undefined,
  stream: ReadableStream<Uint8Array>,
): Response {
  const isHead = ctx.method === 'HEAD';
  if (isHead) stream.cancel();
  // Of an empty one, the runtime does not send the length, as it does of no content.
  return respond(ctx, status, headers, isHead ? new ReadableStream() : stream, STREAM_TYPE);
}

const isNoStore = (headers: Fields | undefined): boolean =>
  headers?.['Cache-Control'] === NO_STORE['Cache-Control'];

/** A body that is already JSON text. */
export class RenderedJson {
  constructor(readonly text: string) {}
}

/** Responds with a refusal as the specification's Error body. */
export function respondRefusal(ctx: RequestContext, { code, message, headers }: Refusal): Response {
  const { status } = ERRORS[code];
  return respondJson(ctx, status, { code, message, status }, headers);
}

/** The one place that creates responses. Adds the request id, and for HEAD the length of the content that GET would send. */
export function respond(
  ctx: RequestContext,
  status: number,
  headers?: Fields,
  body?: string | Blob | ReadableStream<Uint8Array>,
  contentType?: string,
): Response {
  const { route } = ctx;
  const isStream = body instanceof ReadableStream;
  const isSent = body !== undefined && (isStream || ctx.method !== 'HEAD');
  const isJson = contentType === JSON_TYPE;
  const common = route ?? standardHeaders(ctx.path);
  const content = isSent ? body : null;
  const response = (isJson ? common.jsonHeaders : common.headers).withOwn(
    ctx.id,
    ctx.deprecationLinks === undefined ? headers : { Link: ctx.deprecationLinks, ...headers },
    (all) => new Response(content, { status, headers: all }),
  );
  if (contentType !== undefined && !isJson) response.headers.set('Content-Type', contentType);
  if (ctx.strict) response.headers.set('Preference-Applied', 'handling=strict');
  if (body !== undefined && !isStream && !isSent)
    response.headers.set('Content-Length', String(lengthOf(body)));
  const isCacheable = ctx.isCacheable && !isNoStore(headers);
  if (isCacheable && status === 200 && isSent && route !== undefined && typeof body === 'string') {
    ctx.cachedResponse = { route, body, headers: new Headers(response.headers) };
  }
  return response;
}

const lengthOf = (body: string | Blob): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.size;

/** Sends a cached response with the id of this request. */
export function respondCached(
  ctx: RequestContext,
  { route, body, headers }: CachedResponse,
): Response {
  ctx.route = route;
  // The response copies the headers, so a later change affects no other response.
  headers.set('X-Request-Id', ctx.id);
  return new Response(body, { headers });
}

/** The response if nothing is known about the request, not even its id. */
export function respondLastResort(): Response {
  const { status, message } = ERRORS.internal_error;
  const body = renderExactJson({ code: 'internal_error', message, status });
  return new Response(body, {
    status,
    headers: { ...OUTSIDE_HEADERS, 'Content-Type': JSON_TYPE },
  });
}

/** Responds with plain text, outside of the API: on the port of the metrics. */
export const respondText = (status: number, text: string, headers?: Fields): Response =>
  new Response(text, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  });
