/** What is known of a response besides its data. */
export interface ResponseDetails {
  readonly status: number;
  readonly headers: Headers;
  /** The version of the resource, for `ifMatch`. */
  readonly etag: string | undefined;
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** Whether this is the saved response to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** Data with the response that contained it. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseDetails;
}

/** A request that was sent: a promise of the data. */
export class Call<T> extends Promise<T> {
  readonly #result: Promise<WithResponse<T>>;

  constructor(send: () => Promise<WithResponse<T>>) {
    const result = send();
    // Resolved with a promise, not by our function: V8 then finds the caller for the stack of an error.
    super((resolve) => resolve(result.then(({ data }) => data)));
    this.#result = result;
  }

  /** `then` and its relatives return plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** A promise of the data together with the response. */
  withResponse(): Promise<WithResponse<T>> {
    // The returned promise reports a rejection that nobody handles: this one must not report it, too.
    this.catch(() => {});
    return this.#result.then();
  }
}
