import { attempt, type Fetch } from './attempt.ts';
import type { ResponseDetails, WithResponse } from './call.ts';
import { AnimalStoreError, ApiError, isApiError, type RequestFacts } from './errors.ts';
import type { Hooks, SentRequest } from './hooks.ts';
import { type Int64Mode, parseJson } from './int64.ts';
import {
  type AnimalStoreOptions,
  type CallOptions,
  checkApiKey,
  checkBaseUrl,
  checkInt64Mode,
  checkLimits,
  type Limits,
  type RequestOptions,
} from './options.ts';
import { type ApiRequest, type PreparedRequest, prepare } from './prepare.ts';
import type { CachedResponse } from './response-cache.ts';
import {
  isUnclear,
  readRetryAfterMs,
  retryDelayMs,
  SYSTEM_TIMING,
  type Timing,
} from './retries.ts';

/** The way of every request: limits, hooks, retries, errors, exact integers. */
export class RequestCore {
  readonly #options: AnimalStoreOptions;
  readonly #baseUrl: string;
  readonly #limits: Limits;
  readonly #int64: Int64Mode;
  readonly #fetch: Fetch;
  readonly #timing: Timing;
  #hasExtensions: boolean | undefined;

  /** @throws TypeError if an option is invalid */
  constructor(options: AnimalStoreOptions, timing: Timing = SYSTEM_TIMING) {
    this.#options = options;
    this.#baseUrl = checkBaseUrl(options.baseUrl);
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
   * @throws ApiError, ConnectionError, TimeoutError, the reason of the caller's signal, or what a hook throws
   */
  async send<T>(request: ApiRequest, options: RequestOptions = {}): Promise<WithResponse<T>> {
    const limits = checkLimits(options, this.#limits);
    options.signal?.throwIfAborted();
    const prepared = await prepare(request, options, this.#options, this.#baseUrl);
    let outcomeUnknown = false;
    for (let attempts = 1; ; attempts++) {
      const sent = toAttempt(prepared, attempts);
      try {
        return await this.#sendOnce<T>(prepared, sent, limits, options);
      } catch (failure) {
        // An earlier attempt removed the resource, or somebody else did: in both cases it is gone.
        if (outcomeUnknown && request.method === 'DELETE' && isGone(failure)) {
          return { data: undefined as T, response: describe(failure) };
        }
        outcomeUnknown ||= request.method !== 'GET' && isUnclear(failure);
        if (failure instanceof AnimalStoreError) Object.assign(failure, { outcomeUnknown });
        const isLast = attempts > limits.maxRetries;
        if (isLast || !(await this.#waitForRetry(failure, sent, options))) throw failure;
      }
    }
  }

  /** Waits until the next attempt. Returns false if there must be none. */
  async #waitForRetry(
    error: unknown,
    request: SentRequest,
    options: CallOptions,
  ): Promise<boolean> {
    const { now, sleep } = this.#timing;
    const delayMs = retryDelayMs(error, request.attempt - 1, this.#timing);
    if (delayMs === undefined) return false;
    // The one creation that also exists with EXTENSIONS=off, where the service ignores Idempotency-Key.
    const isSpecified = request.method === 'POST' && request.path === '/pets';
    const mayDouble = isSpecified && (error as AnimalStoreError).outcomeUnknown;
    if (mayDouble && this.#hasExtensions === false) return false;
    const retryAt = new Date(Math.ceil(now() + delayMs));
    const stopper = new AbortController();
    const stop = () => stopper.abort(error);
    await this.#call('onRetry', options, { request, error, retryAt, stop });
    await sleep(Math.max(0, +retryAt - now()), options.signal, stopper.signal);
    return !mayDouble || this.askForExtensions(options);
  }

  /** Calls a hook of the client, and then that of the call. */
  async #call<Name extends keyof Hooks>(
    name: Name,
    options: Hooks,
    event: Parameters<NonNullable<Hooks[Name]>>[0],
  ): Promise<void> {
    for (const hooks of [this.#options, options]) {
      await (hooks[name] as ((it: typeof event) => unknown) | undefined)?.(event);
    }
  }

  async #sendOnce<T>(
    prepared: PreparedRequest,
    request: SentRequest,
    { timeoutMs }: Limits,
    options: CallOptions,
  ): Promise<WithResponse<T>> {
    const { method, path, url, init, apiKey } = prepared;
    await this.#call('onRequest', options, request);
    const headers = new Headers(request.headers);
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${apiKey}`);
    const facts = { method, path, requestId: headers.get(REQUEST_ID) ?? undefined };
    const startMs = this.#timing.now();
    let response: ResponseDetails | undefined;
    let error: unknown;
    try {
      const limits = { timeoutMs, signal: options.signal };
      const reply = await attempt(this.#fetch, url, { ...init, headers }, limits, facts);
      response = describe(reply.response, facts.requestId);
      return await this.#read<T>(prepared, response, reply.text, facts);
    } catch (failure) {
      error = failure;
      throw failure;
    } finally {
      const durationMs = this.#timing.now() - startMs;
      await this.#call('onResponse', options, { request, response, error, durationMs });
    }
  }

  /** Reads a response, or the cached one if the service says that it is still the same. */
  async #read<T>(
    { method, url, cached }: PreparedRequest,
    received: ResponseDetails,
    text: string,
    facts: RequestFacts,
  ): Promise<WithResponse<T>> {
    const isSame = received.status === 304 && cached;
    const response = isSame ? refresh(cached.headers, received) : received;
    const body = isSame ? cached.body : text;
    const { status, headers, etag } = response;
    const details = { ...facts, ...response };
    if (status < 200 || status > 299) throw this.#toError(details, text);
    let data: unknown;
    try {
      if (status !== 204) data = parseJson(body, this.#int64);
    } catch (cause) {
      const isUnsafe = cause instanceof RangeError;
      throw new ApiError(isUnsafe ? cause.message : 'The response is not JSON.', details);
    }
    if (method === 'GET' && etag !== undefined && !isSame)
      await this.#options.cache?.set(url, { etag, body, headers: [...headers] });
    return { data: data as T, response };
  }

  #toError(details: ResponseDetails & RequestFacts, text: string): ApiError {
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

const REQUEST_ID = 'X-Request-Id';

function toAttempt(
  { method, path, url, init, requestId }: PreparedRequest,
  number: number,
): SentRequest {
  const headers = new Headers(init.headers);
  if (!headers.has(REQUEST_ID)) headers.set(REQUEST_ID, `${requestId}-${number}`);
  return { method, path, url, headers, attempt: number };
}

/** Whether the service says that the resource does not exist. */
const isGone = (failure: unknown): failure is ApiError =>
  failure instanceof ApiError && /^(?!route_).*_not_found$/.test(failure.code ?? '');

/** A cached response with the headers of a 304, which replace its own (RFC 9111, 3.2). */
function refresh(cached: CachedResponse['headers'], { headers: received }: ResponseDetails) {
  const headers = new Headers(cached as [string, string][]);
  received.forEach((value, name) => void headers.set(name, value));
  return describe({ status: 200, headers });
}

/** @param sentId the id of the request if the response has none, such as that of a proxy */
const describe = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  sentId?: string,
): ResponseDetails => ({
  status,
  headers,
  etag: headers.get('ETag') ?? undefined,
  requestId: headers.get(REQUEST_ID) ?? sentId,
  replayed: headers.get('Idempotency-Replayed') === 'true',
});
