import type { RequestContext } from './context.ts';
import { ERRORS, type Refusal } from './errors.ts';
import { etagOf, namesTag } from './etag.ts';
import { renderExactJson } from './exact-json.ts';
import type { AnyAnswer } from './operation.ts';
import type { Route } from './router.ts';
import { standardHeaders } from './standard-headers.ts';

const JSON_TYPE = 'application/json';

type Fields = Readonly<Record<string, string>>;

/** Renders a value as the JSON answer to a request. */
export function respondJson(
  ctx: RequestContext,
  status: number,
  value: unknown,
  headers?: Fields,
): Response {
  return respond(ctx, status, renderExactJson(value), JSON_TYPE, headers);
}

/**
 * Renders an operation's answer. `ifNoneMatch` is the request's header, null where there is none,
 * and undefined where answers have no entity tags.
 */
export function respondAnswer(
  ctx: RequestContext,
  { status, body, headers, tagged }: AnyAnswer,
  ifNoneMatch: string | null | undefined,
): Response {
  if (body === undefined) return respond(ctx, status, undefined, undefined, headers);
  const text = body instanceof RenderedJson ? body.text : renderExactJson(body);
  if (ifNoneMatch === undefined || headers?.['Cache-Control'] === 'no-store') {
    return respond(ctx, status, text, JSON_TYPE, headers);
  }
  const etag = etagOf(tagged === undefined ? text : renderExactJson(tagged));
  const withTag = { ...headers, ETag: etag };
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && ifNoneMatch !== null && namesTag(ifNoneMatch, etag)
    ? respond(ctx, 304, undefined, undefined, withTag)
    : respond(ctx, status, text, JSON_TYPE, withTag);
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
  headers?: Fields,
): Response {
  const { route } = ctx;
  const isSent = body !== undefined && ctx.method !== 'HEAD';
  const isJson = contentType === JSON_TYPE;
  // A response takes a copy of such headers faster than it reads an object.
  const common =
    route === undefined
      ? standardHeaders(ctx.path, isJson)
      : isJson
        ? route.jsonHeaders
        : route.headers;
  const response = new Response(isSent ? body : null, { status, headers: common });
  const all = response.headers;
  if (contentType !== undefined && !isJson) all.set('Content-Type', contentType);
  all.set('X-Request-Id', ctx.id);
  for (const name in headers) all.set(name, headers[name] as string);
  if (ctx.strict) all.set('Preference-Applied', 'handling=strict');
  if (body !== undefined && !isSent) all.set('Content-Length', String(Buffer.byteLength(body)));
  if (ctx.keepsReply && status === 200 && isSent && route !== undefined) {
    ctx.reply = new KeptReply(route, body, new Headers(all));
  }
  return response;
}

/** The answer where nothing is known of the request, not even its id. */
export function respondLastResort(): Response {
  const { status, message } = ERRORS.internal_error;
  const body = renderExactJson({ code: 'internal_error', message, status });
  return new Response(body, { status, headers: standardHeaders('', true) });
}

/** An operation's answer 200, to be given again. */
export class KeptReply {
  readonly #route: Route;
  readonly #body: string;
  readonly #headers: Headers;

  constructor(route: Route, body: string, headers: Headers) {
    this.#route = route;
    this.#body = body;
    this.#headers = headers;
  }

  /** When the operation is removed, and answers otherwise: in milliseconds since 1970-01-01T00:00:00Z. */
  get untilMs(): number {
    return this.#route.operation.deprecation?.sunset.getTime() ?? Number.POSITIVE_INFINITY;
  }

  /** The same answer, under another request's id. */
  respond(ctx: RequestContext): Response {
    ctx.route = this.#route;
    // The response takes a copy: what is set here, or by a later stage on it, is not in any other.
    this.#headers.set('X-Request-Id', ctx.id);
    return new Response(this.#body, { headers: this.#headers });
  }
}
