import type { RequestContext } from './context.ts';
import { ERRORS, type Refusal } from './errors.ts';
import { etagOf, namesTag } from './etag.ts';
import { renderExactJson } from './exact-json.ts';
import type { AnyAnswer } from './operation.ts';

type Headers = Readonly<Record<string, string>>;

/** Renders a value as the JSON answer to a request. */
export function respondJson(
  ctx: RequestContext,
  status: number,
  value: unknown,
  headers?: Headers,
): Response {
  return respond(ctx, status, renderExactJson(value), 'application/json', headers);
}

/**
 * Renders an operation's answer. `ifNoneMatch` is the request's header, null where there is none,
 * and undefined where answers have no entity tags.
 */
export function respondAnswer(
  ctx: RequestContext,
  { status, body, headers }: AnyAnswer,
  ifNoneMatch: string | null | undefined,
): Response {
  if (body === undefined) return respond(ctx, status, undefined, undefined, headers);
  const text = body instanceof RenderedJson ? body.text : renderExactJson(body);
  if (ifNoneMatch === undefined || headers?.['Cache-Control'] === 'no-store') {
    return respond(ctx, status, text, 'application/json', headers);
  }
  const etag = etagOf(text);
  const tagged = { ...headers, ETag: etag };
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && ifNoneMatch !== null && namesTag(ifNoneMatch, etag)
    ? respond(ctx, 304, undefined, undefined, tagged)
    : respond(ctx, status, text, 'application/json', tagged);
}

/** A body that was rendered before. */
export class RenderedJson {
  constructor(readonly text: string) {}
}

/** Renders a refusal as the specification's Error body. */
export function respondRefusal(ctx: RequestContext, { code, message, headers }: Refusal): Response {
  const { status } = ERRORS[code];
  return respondJson(ctx, status, { code, message, status }, headers);
}

/** The one place where a response is made: every answer has its request's id, and HEAD the length that GET would have. */
export function respond(
  ctx: RequestContext,
  status: number,
  body: string | undefined,
  contentType: string | undefined,
  headers?: Headers,
): Response {
  const all: Record<string, string> = {
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    'X-Request-Id': ctx.id,
    ...ctx.route?.headers,
    ...headers,
  };
  if (ctx.strict) all['Preference-Applied'] = 'handling=strict';
  if (body === undefined || ctx.method !== 'HEAD') {
    return new Response(body ?? null, { status, headers: all });
  }
  all['Content-Length'] = String(Buffer.byteLength(body));
  return new Response(null, { status, headers: all });
}
