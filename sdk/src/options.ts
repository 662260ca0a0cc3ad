import type { BulkProgress } from './bulk.ts';
import type { Hooks } from './hooks.ts';
import type { Int64Mode } from './int64.ts';
import type { ResponseCache } from './response-cache.ts';

/** Options of a client. */
export interface AnimalStoreOptions<Mode extends Int64Mode = Int64Mode> extends Hooks {
  /** The base URL of the service, such as `https://store.example/v1`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it within `timeoutMs`. The function is called once per request, not per attempt. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** The longest duration of one attempt, including its body. Default: 35,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again at most. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** The representation of 64-bit integers in responses. Default: `auto`. */
  readonly int64?: Mode | undefined;
  /**
   * Whether the service runs with `EXTENSIONS=on`, its default. If it is not given, the client asks the
   * service before it repeats the creation of an animal.
   */
  readonly extensions?: boolean | undefined;
  /**
   * Whether the service refuses parameters and fields that it does not know, such as misspelt names. Default: true.
   * Otherwise it ignores them.
   */
  readonly strict?: boolean | undefined;
  /** Keeps responses to reads. A read whose response is still the same is a short exchange without a body. */
  readonly cache?: ResponseCache | undefined;
  /** The name and version of your program, such as `shop/2.1`, in front of the name of this package. Not in browsers. */
  readonly userAgent?: string | undefined;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of one call. Its hooks are called after the hooks of the client. */
export interface CallOptions extends Hooks {
  /** Ends the call, including its retries. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Added to each attempt, or in place of what the client would send. */
  readonly headers?: Readonly<Record<string, string>> | Headers | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

/** Options of a call that creates something. */
export interface CreateOptions extends CallOptions {
  /** Identifies the creation to the service, which makes it once. Default: a new random key per call. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a creation of any number of items, in parts. */
export interface BulkOptions<T> extends CallOptions {
  /**
   * Identifies the load. The key of each part follows from this key and from its place. A load that runs again with the same
   * source creates nothing twice. At most 240 characters, without quotes. Default: a new random key per call.
   */
  readonly idempotencyKey?: string | undefined;
  /** How many items to skip: a `count` that an earlier run has reported for the same source. Default: 0. */
  readonly from?: number | undefined;
  /** Called after each part. The load waits for what it returns. What it throws ends the load. */
  readonly onProgress?: ((progress: BulkProgress<T>) => unknown) | undefined;
}

/** Options of a call that changes or removes something. */
export interface ChangeOptions extends CallOptions {
  /** The ETag of the version to change. The call fails with `precondition_failed` if it has changed since. */
  readonly ifMatch?: string | undefined;
}

/** Options of a call that creates or replaces a resource whose id the client chooses. */
export interface PutOptions extends ChangeOptions {
  /** `*`: create, and never replace. The call fails with `precondition_failed` if the resource exists. */
  readonly ifNoneMatch?: '*' | undefined;
}

/**
 * Options of a request that has no method. Each POST has an Idempotency-Key, and only a POST; `ifMatch` is for PUT, PATCH and
 * DELETE, `ifNoneMatch` for PUT.
 */
export interface RequestOptions extends CreateOptions, PutOptions {
  /** An object or a `URLSearchParams`. Parameters that are undefined are left out; arrays are repeated. */
  readonly query?: object | undefined;
  /** Sent as JSON, with exact integers. */
  readonly body?: unknown;
}

const HOOKS: Record<keyof Hooks, 1> = { onRequest: 1, onResponse: 1, onRetry: 1 };

const CALL: Record<keyof CallOptions, 1> = {
  signal: 1,
  headers: 1,
  timeoutMs: 1,
  maxRetries: 1,
  ...HOOKS,
};

const CLIENT: Record<keyof AnimalStoreOptions, 1> = {
  baseUrl: 1,
  apiKey: 1,
  timeoutMs: 1,
  maxRetries: 1,
  int64: 1,
  extensions: 1,
  strict: 1,
  cache: 1,
  userAgent: 1,
  fetch: 1,
  ...HOOKS,
};

/** Options of a call that only requests with this method have. */
const BY_METHOD: Readonly<Record<string, readonly string[]>> = {
  POST: ['idempotencyKey'],
  PUT: ['ifMatch', 'ifNoneMatch'],
  PATCH: ['ifMatch'],
  DELETE: ['ifMatch'],
};

/** Refuses what would be ignored, such as a misspelt name. @throws TypeError */
export function checkNames(options: object, allowed: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !allowed.includes(name))
      throw new TypeError(`${name} is not an option here. Allowed: ${allowed.join(', ')}.`);
  }
}

/**
 * Also refuses what would count as true, such as `off`.
 * @throws TypeError if a client has no such option
 */
export function checkClientOptions(options: AnimalStoreOptions): void {
  checkNames(options, Object.keys(CLIENT));
  const types = { extensions: 'boolean', strict: 'boolean', fetch: 'function' } as const;
  for (const [name, type] of Object.entries(types)) {
    const value = options[name as keyof typeof types];
    if (value !== undefined && typeof value !== type)
      throw new TypeError(`${name} must be a ${type}.`);
  }
}

/** @throws TypeError if a call with this method has no such option */
export const checkCallOptions = (
  options: object,
  method: string,
  others: readonly string[] = [],
): void => checkNames(options, [...Object.keys(CALL), ...(BY_METHOD[method] ?? []), ...others]);

/** The limits of a request. */
export interface Limits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** Ends it at any time. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_LIMITS: Limits = { timeoutMs: 35_000, maxRetries: 3 };

/** Timers of all platforms overflow beyond this. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws TypeError if a limit is invalid */
export function checkLimits(options: CallOptions, defaults: Limits = DEFAULT_LIMITS): Limits {
  const timeoutMs = options.timeoutMs ?? defaults.timeoutMs;
  const maxRetries = options.maxRetries ?? defaults.maxRetries;
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`timeoutMs must be greater than 0 and at most ${MAX_TIMEOUT_MS}.`);
  if (!(Number.isInteger(maxRetries) && maxRetries >= 0))
    throw new TypeError('maxRetries must be 0 or a positive integer.');
  return { timeoutMs, maxRetries, signal: options.signal };
}

/**
 * Returns the base URL without a slash at its end.
 * @throws TypeError if requests cannot be sent to it
 */
export function checkBaseUrl(baseUrl: string): string {
  let href = '';
  try {
    ({ href } = new URL(baseUrl));
  } catch {}
  // An empty query is one, too.
  if (!/^https?:\/\/[^/@]+\/[^?#]*$/.test(href)) {
    throw new TypeError(
      'baseUrl must be a URL such as https://store.example/v1, without credentials, query and fragment.',
    );
  }
  return href.replace(/\/+$/, '');
}

/**
 * Returns the API key if it can be sent in a header.
 * @throws TypeError otherwise, without the key in the message
 */
export function checkApiKey(apiKey: unknown): string {
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be printable ASCII characters without spaces.');
}

/** @throws TypeError if the representation is unknown */
export function checkInt64Mode(mode: Int64Mode = 'auto'): Int64Mode {
  const modes = ['auto', 'number', 'bigint', 'string'];
  if (modes.includes(mode)) return mode;
  throw new TypeError(`int64 must be one of ${modes.join(', ')}.`);
}
