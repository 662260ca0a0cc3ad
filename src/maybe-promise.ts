/**
 * A value, or a promise of it.
 *
 * SQLite returns values synchronously, and `await` on a value still costs a turn of the microtask
 * queue. Code that runs for every request therefore continues with `chain`, synchronously if the
 * value is there. Handlers with several steps are written with `steps.ts`.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: now if it is there, otherwise when the promise resolves. */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns a function whose calls never run `work` at the same time. A call during a run resolves after another run. `work` never rejects. */
export function repeatRuns(work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const run = async () => {
    while (isAskedAgain) {
      isAskedAgain = false;
      await work();
    }
    running = undefined;
  };
  return () => {
    isAskedAgain = true;
    running ??= run();
    return running;
  };
}

/** Returns a function whose simultaneous calls share one run of `work`. */
export function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
