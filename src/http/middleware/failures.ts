import type { MaybePromise } from '../../maybe-promise.ts';
import type { Refusal } from '../contract/errors.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * Answers whatever was thrown with an Error body. What it was goes to `report` under the
 * request's id, and never to the client.
 */
export function handleFailures(
  toRefusal: (error: unknown) => Refusal,
  report: (requestId: string, error: unknown) => void,
): Middleware {
  return (request, ctx, next) => {
    const failed = (error: unknown): Response => {
      report(ctx.id, error);
      return respondRefusal(ctx, toRefusal(error));
    };
    let response: MaybePromise<Response>;
    try {
      response = next(request, ctx);
    } catch (error) {
      return failed(error);
    }
    return response instanceof Promise ? response.catch(failed) : response;
  };
}
