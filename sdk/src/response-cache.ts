/** A response that a cache keeps. It can be stored as JSON. */
export interface CachedResponse {
  readonly etag: string;
  readonly body: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * A cache of responses to reads, by their URL, such as a `Map`. The service is asked each time whether a response is still the
 * same, with the API key of the client. Clients with different keys can share a cache.
 */
export interface ResponseCache {
  get(url: string): CachedResponse | undefined | null | Promise<CachedResponse | undefined | null>;
  set(url: string, response: CachedResponse): unknown;
}
