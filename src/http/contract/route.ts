import type { Operation } from './operation.ts';

/** The headers that responses have in common, without and with the Content-Type of JSON. */
export interface HeaderPair {
  readonly headers: CommonHeaders;
  readonly jsonHeaders: CommonHeaders;
}

export interface CommonHeaders {
  /**
   * These headers, the id of the request, and those of this response alone, which replace common ones. The object changes
   * with the next call: a response copies it.
   */
  withOwn(requestId: string, own: Readonly<Record<string, string>> | undefined): Headers;
}

/** An operation that is mounted at its path, with the headers that all of its responses have. */
export interface Route extends HeaderPair {
  readonly operation: Operation;
  /** The position of the operation in the list of all operations. */
  readonly index: number;
  /** The readers that the operation has used so far: what its responses depend on. Empty for a write. */
  readonly usedReaders: ReadonlySet<string>;
}
