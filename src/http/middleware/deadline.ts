import type { Middleware } from './middleware.ts';

/** The response was not ready in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Limits the time of every request. A write is not undone: it may complete after the deadline of its
 * request, as the documentation of the error says. A synchronous response needs no timer.
 */
export function enforceDeadline(timeoutMs: number): Middleware {
  return (request, ctx, next) => {
    const response = next(request, ctx);
    if (!(response instanceof Promise)) return response;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new DeadlineExceeded(`No response within ${timeoutMs} ms.`)),
        timeoutMs,
      );
      response.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  };
}
