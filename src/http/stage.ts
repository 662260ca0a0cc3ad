import type { MaybePromise } from '../maybe-promise.ts';
import type { RequestContext } from './context.ts';

export type Answerer = (request: Request, ctx: RequestContext) => MaybePromise<Response>;

/** One stage on the way of a request: it answers itself, or lets `next` answer. */
export type Stage = (
  request: Request,
  ctx: RequestContext,
  next: Answerer,
) => MaybePromise<Response>;

/** Puts stages in front of an answerer; the first is the outermost. */
export function through(stages: readonly Stage[], last: Answerer): Answerer {
  return stages.reduceRight<Answerer>(
    (next, stage) => (request, ctx) => stage(request, ctx, next),
    last,
  );
}
