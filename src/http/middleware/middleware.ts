import type { MaybePromise } from '../../maybe-promise.ts';
import type { RequestContext } from '../request/context.ts';

export type RequestHandler = (request: Request, ctx: RequestContext) => MaybePromise<Response>;

/** Responds to a request, or calls `next` and may change its response. */
export type Middleware = (
  request: Request,
  ctx: RequestContext,
  next: RequestHandler,
) => MaybePromise<Response>;

/** Wraps a handler in middleware. The first is the outermost. */
export function compose(
  middleware: readonly Middleware[],
  handler: RequestHandler,
): RequestHandler {
  return middleware.reduceRight<RequestHandler>(
    (next, current) => (request, ctx) => current(request, ctx, next),
    handler,
  );
}
