import { monotonicMs } from '../../clock.ts';
import type { Middleware } from './middleware.ts';

/** The response was not ready in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** A request without a response, in a ring of all of them. */
class Pending {
  previous: Pending = this;
  next: Pending = this;

  constructor(
    readonly deadlineMs: number,
    readonly reject: (reason: unknown) => void,
  ) {}

  insertBefore(later: Pending): void {
    this.previous = later.previous;
    this.next = later;
    this.previous.next = this;
    later.previous = this;
  }

  /** Does nothing the second time: a response may come after its deadline. */
  remove(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this;
    this.next = this;
  }
}

/**
 * Limits the time of every request. A write is not undone: it may complete after the deadline of its
 * request, as the documentation of the error says. A synchronous response needs no timer.
 */
export function enforceDeadline(timeoutMs: number): Middleware {
  // The deadlines are in order because all requests have the same timeout: one timer is enough, that of the first.
  const ends = new Pending(Number.POSITIVE_INFINITY, () => {});
  let timer: ReturnType<typeof setTimeout> | undefined;

  const startTimer = (delayMs: number): void => {
    timer = setTimeout(rejectLate, delayMs);
    // The server keeps the process running as long as a response is pending.
    timer.unref();
  };

  const rejectLate = (): void => {
    const nowMs = monotonicMs();
    timer = undefined;
    while (ends.next.deadlineMs <= nowMs) {
      const late = ends.next;
      late.remove();
      late.reject(new DeadlineExceeded(`No response within ${timeoutMs} ms.`));
    }
    if (ends.next !== ends) startTimer(ends.next.deadlineMs - nowMs);
  };

  return (request, ctx, next) => {
    const response = next(request, ctx);
    if (!(response instanceof Promise)) return response;
    return new Promise((resolve, reject) => {
      const pending = new Pending(ctx.arrivedMs + timeoutMs, (reason) => {
        ctx.isLate = true;
        reject(reason);
      });
      pending.insertBefore(ends);
      if (timer === undefined) startTimer(pending.deadlineMs - monotonicMs());
      response.then(
        (value) => {
          pending.remove();
          resolve(value);
        },
        (error) => {
          pending.remove();
          reject(error);
        },
      );
    });
  };
}
