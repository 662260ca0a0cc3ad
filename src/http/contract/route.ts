import type { Operation } from './operation.ts';

/** The headers of responses, without and with the Content-Type of JSON. */
export interface HeaderPair {
  readonly headers: Headers;
  readonly jsonHeaders: Headers;
}

/** An operation that is mounted at its path, with the headers that all of its responses have. */
export interface Route extends HeaderPair {
  readonly operation: Operation;
  /** The position of the operation in the list of all operations. */
  readonly index: number;
  /** The readers that the operation has used so far: what its responses depend on. Empty for a write. */
  readonly usedReaders: ReadonlySet<string>;
}
