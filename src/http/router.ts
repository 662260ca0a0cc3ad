import { Hono } from 'hono';
import type { MaybePromise } from '../maybe-promise.ts';
import type { RequestContext } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { refuse } from './errors.ts';
import type { ReadyOperation } from './operation.ts';
import { type PerformRules, perform } from './perform.ts';
import { respondRefusal } from './respond.ts';

/** An operation in its place: with the headers that each of its answers carries. */
export interface Route extends ReadyOperation {
  readonly headers: Readonly<Record<string, string>>;
}

export interface Router {
  /** Answers a request whose credential was accepted. */
  dispatch(request: Request, ctx: RequestContext): MaybePromise<Response>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Mounts operations under `/v1`. Their deprecation links are built from `baseUrl`. */
export function createRouter(
  operations: readonly ReadyOperation[],
  baseUrl: string,
  rules: PerformRules,
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
      return perform(route, c.req.raw, c.env, c.req.param(), rules);
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
