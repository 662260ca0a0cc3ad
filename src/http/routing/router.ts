import { methodNotAllowed, refuse } from '../contract/errors.ts';
import type { RequestHandler } from '../middleware/middleware.ts';
import type { RequestContext } from '../request/context.ts';
import { METHODS } from '../request/methods.ts';
import { deprecationHeaders, deprecationLinks, type LinksOf } from '../response/deprecation.ts';
import { respondRefusal } from '../response/respond.ts';
import { pairOf, VERSIONED_HEADERS } from '../response/standard-headers.ts';
import {
  type ExecutableOperation,
  type ExecutableRoute,
  type ExecutionRules,
  execute,
} from './execute.ts';
import { RouteNode } from './route-tree.ts';

interface RoutedOperation extends ExecutableRoute {
  readonly linksOf: LinksOf | undefined;
}

/**
 * Mounts operations under `/v1` and returns the handler of authenticated requests.
 * @param baseUrl the base URL of the links of deprecated operations.
 */
export function createRouter(
  operations: readonly ExecutableOperation[],
  baseUrl: string,
  rules: ExecutionRules,
): RequestHandler {
  const root = new RouteNode<RoutedOperation>();
  for (const [index, executable] of operations.entries()) {
    const { operation } = executable;
    const { method, path } = operation;
    root.mount(method.toUpperCase(), `/v1${path}`, {
      ...executable,
      index,
      ...pairOf({ ...VERSIONED_HEADERS, ...deprecationHeaders(operation) }),
      linksOf: deprecationLinks(operation, baseUrl),
    });
  }
  return (request, ctx) => {
    // HEAD is handled like GET, but without content (RFC 9110 §9.3.2).
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const parameters: Record<string, string> = {};
    const route = root.find(method, ctx.path, parameters);
    if (route === undefined) return refuseUnknown(root.methodsAt(ctx.path), ctx);
    ctx.route = route;
    ctx.deprecationLinks = route.linksOf?.(parameters);
    return execute(route, request, ctx, parameters, rules);
  };
}

/** Refuses a path without operations, or a method that none of them has. */
function refuseUnknown(known: ReadonlySet<string>, ctx: RequestContext): Response {
  if (known.size === 0) return respondRefusal(ctx, refuse('route_not_found'));
  const allowed = METHODS.filter((method) => known.has(method === 'HEAD' ? 'GET' : method));
  return respondRefusal(ctx, methodNotAllowed(allowed.join(', ')));
}
