import { attempt, type Fetch } from './attempt.ts';
import type { ResponseDetails, WithResponse } from './call.ts';
import { AnimalStoreError, ApiError, isApiError } from './errors.ts';
import { type Int64Mode, parseJson, renderJson } from './int64.ts';
import {
  type AnimalStoreOptions,
  type CallOptions,
  checkApiKey,
  checkBaseUrl,
  checkInt64Mode,
  checkLimits,
  type Limits,
} from './options.ts';
import {
  isUnclear,
  readRetryAfterMs,
  retryDelayMs,
  SYSTEM_TIMING,
  type Timing,
} from './retries.ts';

/** A request of one operation. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with a slash at its start. */
  readonly path: string;
  /** With a question mark at its start, or empty. */
  readonly query?: string | undefined;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly idempotencyKey?: string;
  /**
   * Whether the operation also exists with `EXTENSIONS=off`, where the service ignores Idempotency-Key.
   * Then an unclear creation is repeated only if the service has its extensions.
   */
  readonly isSpecified?: boolean;
}

/** Sends requests: limits, retries, errors, exact integers. */
export class RequestCore {
  readonly #baseUrl: string;
  readonly #apiKey: AnimalStoreOptions['apiKey'];
  readonly #limits: Limits;
  readonly #int64: Int64Mode;
  readonly #fetch: Fetch;
  readonly #timing: Timing;
  #hasExtensions: boolean | undefined;

  /** @throws TypeError if an option is invalid */
  constructor(options: AnimalStoreOptions, timing: Timing = SYSTEM_TIMING) {
    this.#baseUrl = checkBaseUrl(options.baseUrl);
    this.#apiKey = options.apiKey;
    if (typeof options.apiKey !== 'function') checkApiKey(options.apiKey);
    this.#limits = checkLimits(options);
    this.#int64 = checkInt64Mode(options.int64);
    // A wrapper because browsers refuse a `fetch` whose `this` is not the window.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.#hasExtensions = options.extensions;
    this.#timing = timing;
  }

  /**
   * Sends a request, and sends it again after a failure that is transient.
   * @throws ApiError, ConnectionError, TimeoutError, or the reason of the caller's signal
   */
  async send<T>(request: ApiRequest, options: CallOptions = {}): Promise<WithResponse<T>> {
    const { signal } = options;
    const limits = checkLimits(options, this.#limits);
    signal?.throwIfAborted();
    const init = await this.#toInit(request);
    let outcomeUnknown = false;
    for (let retries = 0; ; retries++) {
      try {
        return await this.#sendOnce<T>(request, init, { ...limits, signal });
      } catch (failure) {
        // An earlier attempt removed the resource, or somebody else did: in both cases it is gone.
        if (outcomeUnknown && request.method === 'DELETE' && isGone(failure)) {
          return { data: undefined as T, response: describe(failure) };
        }
        outcomeUnknown ||= request.method !== 'GET' && isUnclear(failure);
        if (failure instanceof AnimalStoreError) Object.assign(failure, { outcomeUnknown });
        const isLast = retries >= limits.maxRetries;
        if (isLast || !(await this.#waitForRetry(failure, retries, request, options))) {
          throw failure;
        }
      }
    }
  }

  /** Waits until the next attempt. Returns false if there must be none. */
  async #waitForRetry(
    failure: unknown,
    retries: number,
    { method, isSpecified }: ApiRequest,
    options: CallOptions,
  ): Promise<boolean> {
    const delayMs = retryDelayMs(failure, retries, this.#timing);
    if (delayMs === undefined) return false;
    const mayDouble =
      method === 'POST' && isSpecified && (failure as AnimalStoreError).outcomeUnknown;
    if (mayDouble && this.#hasExtensions === false) return false;
    await this.#timing.sleep(delayMs, options.signal);
    return !mayDouble || this.askForExtensions(options);
  }

  /** The parts of a request that are equal in all attempts. Throws TypeError if a header is invalid. */
  async #toInit(request: ApiRequest): Promise<RequestInit> {
    const { method, body, ifMatch, ifNoneMatch, idempotencyKey } = request;
    const apiKey = this.#apiKey;
    const key = typeof apiKey === 'function' ? checkApiKey(await apiKey()) : apiKey;
    const headers = new Headers({ Accept: 'application/json', Authorization: `Bearer ${key}` });
    if (ifMatch !== undefined) headers.set('If-Match', ifMatch);
    if (ifNoneMatch !== undefined) headers.set('If-None-Match', ifNoneMatch);
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
    // Redirects are not followed: they would turn a POST into a GET, or send the request elsewhere.
    const init: RequestInit = { method, headers, redirect: 'manual' };
    // Bun repeats a change by itself if a connection that it reuses breaks, and the SDK would take the 404 or
    // 412 for the first response. With this it opens a new connection. On other platforms it is the default.
    if (method !== 'GET' && method !== 'POST') init.keepalive = false;
    if (body === undefined) return init;
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    headers.set('Content-Type', type);
    return { ...init, body: renderJson(body) };
  }

  async #sendOnce<T>(
    { path, query = '' }: ApiRequest,
    init: RequestInit,
    limits: { timeoutMs: number; signal: AbortSignal | undefined },
  ): Promise<WithResponse<T>> {
    const url = this.#baseUrl + path + query;
    const { response, text } = await attempt(this.#fetch, url, init, limits);
    const details = describe(response);
    if (!response.ok) throw this.#toError(details, text);
    try {
      const data = response.status === 204 ? undefined : parseJson(text, this.#int64);
      return { data: data as T, response: details };
    } catch (cause) {
      const isUnsafe = cause instanceof RangeError;
      throw new ApiError(isUnsafe ? cause.message : 'The response is not JSON.', details);
    }
  }

  #toError(details: ResponseDetails, text: string): ApiError {
    const { status, headers } = details;
    let error: { code?: unknown; message?: unknown } | null = null;
    try {
      error = JSON.parse(text);
    } catch {}
    const { code, message } = error ?? {};
    const isFromService = typeof code === 'string' && typeof message === 'string';
    return new ApiError(isFromService ? message : `The response has the status ${status}.`, {
      ...details,
      code: isFromService ? code : undefined,
      retryAfterMs: readRetryAfterMs(headers, this.#timing.now()),
    });
  }

  /** Whether the service has its extensions, which include Idempotency-Key. False if it is not sure. */
  async askForExtensions(options: CallOptions = {}): Promise<boolean> {
    if (this.#hasExtensions !== undefined) return this.#hasExtensions;
    try {
      // An operation that exists only with them. Without the scope of it, the response is 403.
      const request = { method: 'GET', path: '/categories', query: '?limit=1' } as const;
      if (Array.isArray((await this.send(request, options)).data)) this.#hasExtensions = true;
    } catch (failure) {
      options.signal?.throwIfAborted();
      if (isApiError(failure, 'scope_missing')) this.#hasExtensions = true;
      if (isApiError(failure, 'route_not_found')) this.#hasExtensions = false;
    }
    return this.#hasExtensions ?? false;
  }
}

/** Whether the service says that the resource does not exist. */
const isGone = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && /^(?!route_).*_not_found$/.test(failure.code ?? '');

const describe = ({ status, headers }: Pick<Response, 'status' | 'headers'>): ResponseDetails => ({
  status,
  headers,
  etag: headers.get('ETag') ?? undefined,
  requestId: headers.get('X-Request-Id') ?? undefined,
  replayed: headers.get('Idempotency-Replayed') === 'true',
});
