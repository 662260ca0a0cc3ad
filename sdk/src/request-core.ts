import { type Fetch, type Wait, waitFor } from './attempt.ts';
import { Call, type ResponseDetails, type WithResponse } from './call.ts';
import {
  describe,
  isGone,
  REQUEST_ID,
  RETURNED,
  refresh,
  toAttempt,
  toError,
  unexpected,
} from './describe.ts';
import {
  AnimalStoreError,
  ApiError,
  ConnectionError,
  isApiError,
  type RequestFacts,
} from './errors.ts';
import type { Hooks, SentRequest } from './hooks.ts';
import { type Int64Mode, parseJson } from './int64.ts';
import {
  type AnimalStoreOptions,
  type CallOptions,
  checkApiKey,
  checkBaseUrl,
  checkCallOptions,
  checkClientOptions,
  checkInt64Mode,
  checkLimits,
  type Limits,
  type RequestOptions,
} from './options.ts';
import { type ApiRequest, type PreparedRequest, prepare } from './prepare.ts';
import { isUnclear, retryDelayMs, SYSTEM_TIMING, type Timing } from './retries.ts';

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
    checkClientOptions(options);
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

  /** Sends a request. A path of an argument that is not valid rejects the call, too. Throws as `send`. */
  call<T>(
    method: ApiRequest['method'],
    path: () => string,
    options: RequestOptions | undefined,
    body?: unknown,
  ): Call<T> {
    return new Call(async () => this.send({ method, path: path(), body }, options));
  }

  /**
   * Sends a request, and sends it again after a failure that is transient.
   * @throws ApiError, ConnectionError, TimeoutError, the reason of the caller's signal, or what a hook throws
   */
  async send<T>(request: ApiRequest, options: RequestOptions = {}): Promise<WithResponse<T>> {
    checkCallOptions(options, request.method);
    const limits = checkLimits(options, this.#limits);
    const prepared = await this.prepare(request, options, limits);
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
        if (isLast || !(await this.waitForRetry(failure, sent, options))) throw failure;
      }
    }
  }

  /**
   * @throws TypeError if the API key, a header or an integer of the body is invalid
   * @throws TimeoutError if a function of the caller returns nothing in time, or the reason of the signal
   * @param facts undefined: what a function of the caller throws is thrown as it is, otherwise as a ConnectionError
   */
  prepare(
    request: ApiRequest,
    options: RequestOptions,
    wait: Wait,
    facts?: RequestFacts,
  ): Promise<PreparedRequest> {
    const work = () => prepare(request, options, this.#options, this.#baseUrl);
    const own = { timeout: 'apiKey or cache gave nothing', failure: 'apiKey or cache failed.' };
    return waitFor(work, { ...wait, ...own }, facts);
  }

  /**
   * Waits until the next attempt, at least so long. Returns false if there must be none.
   * @param retries the number of retries so far
   */
  async waitForRetry(
    error: unknown,
    request: SentRequest,
    options: CallOptions,
    retries = request.attempt - 1,
    leastMs?: number,
  ): Promise<boolean> {
    const { now, sleep } = this.#timing;
    const delayMs = retryDelayMs(error, retries, this.#timing, leastMs);
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
    // The question is no creation, so it has no key.
    return !mayDouble || this.askForExtensions({ ...options, idempotencyKey: undefined });
  }

  /** Calls a hook of the client, and then the hook of the call. */
  async #call<Name extends keyof Hooks>(
    name: Name,
    options: Hooks,
    event: Parameters<NonNullable<Hooks[Name]>>[0],
  ): Promise<void> {
    for (const hooks of [this.#options, options]) {
      await (hooks[name] as ((it: typeof event) => unknown) | undefined)?.(event);
    }
  }

  /** Calls the hook before an attempt. Returns functions that send it, wait for it, and call the hook after it. */
  async #begin(
    { method, path, url, init, apiKey }: PreparedRequest,
    request: SentRequest,
    wait: Wait,
    options: Hooks,
  ) {
    await this.#call('onRequest', options, request);
    const headers = new Headers(request.headers);
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${apiKey}`);
    const requestId = headers.get(REQUEST_ID) ?? undefined;
    const facts = { host: new URL(url).host, method, path, requestId };
    const startMs = this.#timing.now();
    // Not AbortSignal.any and AbortSignal.timeout: older platforms lack them.
    const controller = new AbortController();
    const { signal } = controller;
    return {
      facts,
      controller,
      fetch: () => this.#fetch(url, { ...init, headers, signal }),
      within: <R>(work: () => Promise<R>) => waitFor(work, wait, facts, controller),
      end: (response: ResponseDetails | undefined, error: unknown) => {
        const durationMs = this.#timing.now() - startMs;
        return this.#call('onResponse', options, { request, response, error, durationMs });
      },
    };
  }

  async #sendOnce<T>(
    prepared: PreparedRequest,
    request: SentRequest,
    wait: Wait,
    options: CallOptions,
  ): Promise<WithResponse<T>> {
    const { facts, fetch, within, end } = await this.#begin(prepared, request, wait, options);
    let response: ResponseDetails | undefined;
    let error: unknown;
    try {
      // The timeout covers the body, too.
      const [received, text] = await within(async () => {
        const begun = await fetch();
        return [begun, await begun.text()] as const;
      });
      response = describe(received, facts.requestId);
      return await this.#read<T>(prepared, response, text, facts);
    } catch (failure) {
      error = failure;
      throw failure;
    } finally {
      await end(response, error);
    }
  }

  /**
   * Sends a request once, and passes on the chunks of the body of its response. `read` returns what is in a chunk.
   * @throws as `send`, and ConnectionError at the end of the body
   */
  async *receive<T>(
    prepared: PreparedRequest,
    request: SentRequest,
    wait: Wait,
    options: Hooks,
    read: (chunk: Uint8Array) => Iterable<string>,
  ): AsyncGenerator<T, void, undefined> {
    const { facts, controller, fetch, within, end } = await this.#begin(
      prepared,
      request,
      wait,
      options,
    );
    let response: ResponseDetails | undefined;
    let error: unknown;
    let reader: { cancel(): Promise<void> } | undefined;
    try {
      const received = await within(fetch);
      response = describe(received, facts.requestId);
      const details = { ...facts, ...response };
      if (!received.ok)
        throw toError(details, await within(() => received.text()), this.#timing.now());
      const isStream = /^text\/event-stream/i.test(received.headers.get('Content-Type') ?? '');
      if (!isStream || !received.body) throw unexpected('no stream', details);
      const body = received.body.getReader();
      reader = body;
      for (;;) {
        const { value } = await within(() => body.read());
        if (!value) throw new ConnectionError('The stream ended.', facts);
        for (const text of read(value)) yield this.#parse(text, details) as T;
      }
    } catch (failure) {
      if (failure !== RETURNED) error = failure;
      throw failure;
    } finally {
      controller.abort();
      // Closes the connection of a fetch that ignores its signal. The body of another one has failed.
      reader?.cancel().catch(() => {});
      await end(response, error);
    }
  }

  /** Reads a response, or the cached one if the service says that it is still the same. */
  async #read<T>(
    { method, url, cached, isList }: PreparedRequest,
    received: ResponseDetails,
    text: string,
    facts: RequestFacts,
  ): Promise<WithResponse<T>> {
    const isSame = received.status === 304 && cached;
    const response = isSame ? refresh(cached.headers, received) : received;
    const body = isSame ? cached.body : text;
    const { status, headers, etag } = response;
    const details = { ...facts, ...response };
    if (status < 200 || status > 299) throw toError(details, text, this.#timing.now());
    const isEmpty = body === '' && [202, 204].includes(status);
    const data = isEmpty ? undefined : this.#parse(body, details);
    if (isList && !Array.isArray(data))
      throw unexpected(`no list, but of type ${typeof data}`, details);
    if (method === 'GET' && etag !== undefined && !isSame)
      await this.#options.cache?.set(url, { etag, body, headers: [...headers] });
    return { data: data as T, response };
  }

  #parse(text: string, details: ResponseDetails & RequestFacts): unknown {
    try {
      return parseJson(text, this.#int64);
    } catch (cause) {
      if (cause instanceof RangeError) throw new ApiError(cause.message, details);
      throw unexpected('not JSON', details);
    }
  }

  /** Whether the service has its extensions, which include Idempotency-Key. False if it is not sure. */
  async askForExtensions(options: RequestOptions = {}): Promise<boolean> {
    if (this.#hasExtensions !== undefined) return this.#hasExtensions;
    try {
      // An operation that exists only with them. Without the scope of it, the response is 403.
      await this.send({ method: 'GET', path: '/categories?limit=1', isList: true }, options);
      this.#hasExtensions = true;
    } catch (failure) {
      options.signal?.throwIfAborted();
      if (isApiError(failure, 'scope_missing')) this.#hasExtensions = true;
      if (isApiError(failure, 'route_not_found')) this.#hasExtensions = false;
    }
    return this.#hasExtensions ?? false;
  }
}
