import type { MaybePromise } from '../../maybe-promise.ts';
import type { Refusal } from '../contract/errors.ts';
import { respondRefusal } from '../response/respond.ts';
import type { Middleware } from './middleware.ts';

/**
 * Responds to an exception with an Error body. The exception is reported with the request's id and
 * never sent to the client.
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
