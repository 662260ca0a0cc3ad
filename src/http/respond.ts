import type { RequestContext } from './context.ts';
import { ERRORS, type Refusal } from './errors.ts';
import { renderExactJson } from './exact-json.ts';

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

/** Renders a refusal as the specification's Error body. */
export function respondRefusal(ctx: RequestContext, { code, message, headers }: Refusal): Response {
  const { status } = ERRORS[code];
  return respondJson(ctx, status, { code, message, status }, headers);
}

/** The one place where a response is made: every answer has its request's id, and HEAD the length that GET would have. */
export function respond(
  ctx: RequestContext,
  status: number,
  body: string,
  contentType: string,
  headers?: Headers,
): Response {
  const all: Record<string, string> = {
    'Content-Type': contentType,
    'X-Request-Id': ctx.id,
    ...ctx.route?.headers,
    ...headers,
  };
  if (ctx.strict) all['Preference-Applied'] = 'handling=strict';
  if (ctx.method !== 'HEAD') return new Response(body, { status, headers: all });
  all['Content-Length'] = String(Buffer.byteLength(body));
  return new Response(null, { status, headers: all });
}
