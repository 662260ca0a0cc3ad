import { ERRORS, type Refusal } from '../contract/errors.ts';
import type { Result } from '../contract/handler.ts';
import { NO_STORE } from '../contract/no-store.ts';
import type { CachedResponse } from '../request/cache.ts';
import { UNCONDITIONAL, unmetCondition } from '../request/conditions.ts';
import type { RequestContext } from '../request/context.ts';
import { renderExactJson } from '../request/exact-json.ts';
import { etagOf, refuseUnmet, tagOfJson } from './entity-tags.ts';
import { type Fields, OUTSIDE_HEADERS, standardHeaders } from './standard-headers.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

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
 * @param hasEntityTag whether the response has an entity tag, unless no cache may store it.
 */
export function respondResult(
  ctx: RequestContext,
  { status, body, headers, etagSource }: Result,
  hasEntityTag: boolean,
): Response {
  if (body === undefined) return respond(ctx, status, headers);
  const text = body instanceof RenderedJson ? body.text : renderExactJson(body);
  if (!hasEntityTag || isNoStore(headers)) {
    return respondUnmet(ctx, null) ?? respond(ctx, status, headers, text, JSON_TYPE);
  }
  // The link to the next page can change although the items do not.
  const etag = etagSource === undefined ? etagOf(text, headers?.['Link']) : tagOfJson(etagSource);
  const withTag = { ...headers, ETag: etag };
  return respondUnmet(ctx, etag, withTag) ?? respond(ctx, status, withTag, text, JSON_TYPE);
}

/**
 * Responds to a read without the representation if a condition of the request does not hold: 412 or 304. Undefined if
 * all hold, and if the request is no read: a change checks its conditions before it is made.
 * @param etag the tag of the representation, null if it has none.
 * @param headers those of a 304.
 */
export function respondUnmet(
  ctx: RequestContext,
  etag: string | null,
  headers?: Fields,
): Response | undefined {
  if (ctx.conditions === UNCONDITIONAL || !(ctx.method === 'GET' || ctx.method === 'HEAD')) return;
  const unmet = unmetCondition(ctx.conditions, etag);
  if (unmet === 'If-Match') return respondRefusal(ctx, refuseUnmet(unmet));
  // There is no 304 for what has no tag: no cache may store it.
  return unmet && etag !== null ? respond(ctx, 304, headers) : undefined;
}

/** Responds with a stream of events. To HEAD, it responds without the stream. */
export function respondStream(
  ctx: RequestContext,
  status: number,
  headers: Fields | undefined,
  stream: ReadableStream<Uint8Array>,
): Response {
  const isHead = ctx.method === 'HEAD';
  const unmet = respondUnmet(ctx, null);
  if (isHead || unmet) stream.cancel();
  if (unmet) return unmet;
  // The runtime sends the length of no content, but not of an empty stream.
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

/** Creates the response of a request. Adds the request id, and for HEAD the length of the content that GET would send. */
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
  const all = (isJson ? common.jsonHeaders : common.headers).withOwn(
    ctx.id,
    ctx.deprecationLinks === undefined ? headers : { Link: ctx.deprecationLinks, ...headers },
  );
  const response = new Response(content, { status, headers: all });
  if (contentType !== undefined && !isJson) response.headers.set('Content-Type', contentType);
  // What belongs to no operation is handled in one way only.
  if (ctx.isStrict && route !== undefined)
    response.headers.set('Preference-Applied', 'handling=strict');
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
