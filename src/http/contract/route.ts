import type { Operation } from './operation.ts';

/** An operation that is mounted at its path, with the headers that all of its responses have. */
export interface Route {
  readonly operation: Operation;
  /** The position of the operation in the list of all operations. */
  readonly index: number;
  readonly headers: Headers;
  /** The same with the Content-Type of JSON. */
  readonly jsonHeaders: Headers;
}
