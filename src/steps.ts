import type { MaybePromise } from './maybe-promise.ts';

/**
 * Code that reads from top to bottom and runs on both engines: `yield* wait(…)` where other code has `await`. SQLite returns
 * values synchronously, so the code runs to its end without a pause. It must not pause in a transaction that other requests
 * share. PostgreSQL returns promises.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits for a value. @throws what the promise rejects with. */
export function* wait<T>(value: MaybePromise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** Runs steps to their end: synchronously as long as no value has to be waited for. */
export function runSteps<T>(steps: Steps<T>): MaybePromise<T> {
  const first = steps.next();
  return first.done ? first.value : finish(steps, first.value);
}

async function finish<T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> {
  for (let pending = first; ; ) {
    const resume = await pending.then(
      (value) => () => steps.next(value),
      (error) => () => steps.throw(error),
    );
    const step = resume();
    if (step.done) return step.value;
    pending = step.value;
  }
}
