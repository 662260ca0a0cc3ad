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
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #result: Promise<WithResponse<T>>;

  constructor(send: () => Promise<WithResponse<T>>) {
    this.#result = send();
  }

  /** A promise of the data together with the response. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#result;
  }

  // Derived only if it is used: a second promise would report its own unhandled rejection.
  // biome-ignore lint/suspicious/noThenProperty: A call is a promise.
  then<A = T, B = never>(
    onFulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}
