/**
 * A value that is here already, or will be.
 *
 * The embedded database answers reads at once, and an `await` on a value that is
 * already there still costs a turn of the microtask queue. Code on the way of a
 * request therefore continues with `chain` and stays synchronous where it can.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: at once when it is here, otherwise when it comes. */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
