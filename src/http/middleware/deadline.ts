import type { Middleware } from './middleware.ts';

/** The answer was not there in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Gives every request an end. What it set going is not undone: a write may still be made after
 * its request was given up, which the error's documentation says. An answer that is there at
 * once costs no timer.
 */
export function enforceDeadline(timeoutMs: number): Middleware {
  return (request, ctx, next) => {
    const response = next(request, ctx);
    if (!(response instanceof Promise)) return response;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new DeadlineExceeded(`No answer within ${timeoutMs} ms.`)),
        timeoutMs,
      );
      response.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  };
}
