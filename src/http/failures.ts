import type { MaybePromise } from '../maybe-promise.ts';
import type { Refusal } from './errors.ts';
import { respondRefusal } from './respond.ts';
import type { Stage } from './stage.ts';

/**
 * Answers whatever was thrown with an Error body. What it was goes to `report` under the
 * request's id, and never to the client.
 */
export function answerFailures(
  toRefusal: (error: unknown) => Refusal,
  report: (requestId: string, error: unknown) => void,
): Stage {
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
