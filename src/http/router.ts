import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { scopeMissing } from './authenticate.ts';
import { type JsonObject, readJsonObject } from './body.ts';
import type { RequestContext } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { Refusal, refuse } from './errors.ts';
import type { Operation, ReadyOperation } from './operation.ts';
import { readQuery } from './query.ts';
import { respondJson, respondRefusal } from './respond.ts';
import { validateBody } from './validation.ts';

/** An operation in its place: with the headers that each of its answers carries. */
export interface Route extends ReadyOperation {
  readonly headers: Readonly<Record<string, string>>;
}

export interface Router {
  /** Answers a request whose credential was accepted. */
  dispatch(request: Request, ctx: RequestContext): MaybePromise<Response>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** RFC 7240; the preference may stand in a list and have parameters. */
const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:[;,]|$)/i;

/** Mounts operations under `/v1`. Their deprecation links are built from `baseUrl`. */
export function createRouter(
  operations: readonly ReadyOperation[],
  { clock, baseUrl }: { clock: Clock; baseUrl: string },
): Router {
  const hono = new Hono<{ Bindings: RequestContext }>({
    getPath: (_request, options) => options?.env?.path ?? '',
  });
  for (const ready of operations) {
    const { method, path, deprecation } = ready.operation;
    const route: Route = {
      ...ready,
      headers: deprecation ? deprecationHeaders(deprecation, baseUrl) : {},
    };
    const pattern = `/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    hono.on(method.toUpperCase(), pattern, (c) => {
      c.env.route = route;
      return perform(route, c.req.raw, c.env, c.req.param(), clock);
    });
  }
  hono.notFound((c) => {
    const allowed = METHODS.filter((method) => hono.router.match(method, c.env.path)[0].length > 0);
    if (allowed.length === 0) return respondRefusal(c.env, refuse('route_not_found'));
    const allow = allowed
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .join(', ');
    return respondRefusal(c.env, refuse('method_not_allowed', undefined, { Allow: allow }));
  });
  // What a handler throws is answered outside, where everything that fails is.
  hono.onError((error) => {
    throw error;
  });
  return { dispatch: (request, ctx) => hono.fetch(request, ctx) };
}

/** The way through one operation: may it be used?, body, query, path, handler, answer. */
function perform(
  route: Route,
  request: Request,
  ctx: RequestContext,
  pathParams: Record<string, string>,
  clock: Clock,
): MaybePromise<Response> {
  const { operation, handle } = route;
  ctx.strict = STRICT.test(request.headers.get('prefer') ?? '');
  const read = whyClosed(operation, ctx, clock) ?? (operation.body && readJsonObject(request));
  const outcome = chain(read, (body) => {
    const input = body instanceof Refusal ? body : check(operation, ctx, pathParams, body);
    return input instanceof Refusal ? input : handle(input);
  });
  return chain(outcome, (result) =>
    result instanceof Refusal
      ? respondRefusal(ctx, result)
      : respondJson(ctx, result.status, result.body, result.headers),
  );
}

/** Why this principal cannot use the operation at all, if so. */
function whyClosed(operation: Operation, ctx: RequestContext, clock: Clock): Refusal | undefined {
  const { scope, deprecation } = operation;
  if (!ctx.principal?.scopes.has(scope)) return scopeMissing(scope);
  return deprecation && clock.now() >= deprecation.sunset.getTime()
    ? refuse('operation_removed')
    : undefined;
}

const NO_PARAMETERS = z.object({});

/** Holds what was sent against the declaration. The path comes last: what it names can only be missing once the rest is right. */
function check(
  operation: Operation,
  { query: sentQuery, strict }: RequestContext,
  pathParams: Record<string, string>,
  sentBody: JsonObject | undefined,
) {
  const body = operation.body && validateBody(sentBody ?? {}, operation.body.schema, strict);
  if (body instanceof Refusal) return body;
  const query = readQuery(sentQuery, operation.query ?? NO_PARAMETERS, strict);
  if (query instanceof Refusal) return query;
  const params = operation.params?.schema.safeParse(pathParams);
  if (operation.params && !params?.success) return refuse(operation.params.notFound);
  return { body, query, params: params?.data };
}
