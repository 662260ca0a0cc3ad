import { type Int64Mode, renderJson } from './int64.ts';
import { type AnimalStoreOptions, checkApiKey, type RequestOptions } from './options.ts';
import { entriesOf, randomKey } from './requests.ts';
import type { CachedResponse } from './response-cache.ts';
import { VERSION } from './version.ts';

/** A request of one operation. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with a slash at its start. */
  readonly path: string;
  /** With a question mark at its start, or an ampersand if the path has a query. Or empty. */
  readonly query?: string | undefined;
  readonly body?: unknown;
  /** The type of the response, if it is not JSON. */
  readonly accept?: string;
  /** Whether the data of the response is an array. */
  readonly isList?: boolean;
}

/** What all attempts of a request have in common. */
export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  /** Without the credential and the request id. */
  readonly init: RequestInit & { readonly headers: Headers };
  readonly apiKey: string;
  /** The id of an attempt is this and its number. */
  readonly requestId: string;
  readonly isList: boolean | undefined;
  /** The response that the caller's cache has. */
  readonly cached: CachedResponse | undefined | null;
}

/** Browsers send names of their own, and some would ask the service for permission to send another. */
const isServer = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions
  ?.node;

/** @throws TypeError if the API key, a header or an integer of the body is invalid */
export async function prepare(
  { method, path, query = '', body, accept = 'application/json', isList }: ApiRequest,
  options: RequestOptions,
  client: AnimalStoreOptions<Int64Mode>,
  baseUrl: string,
): Promise<PreparedRequest> {
  const isRead = method === 'GET';
  const url = baseUrl + path + query;
  const { apiKey } = client;
  const cached = isRead ? await client.cache?.get(url) : undefined;
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const agent = `animal-store-client/${VERSION}`;
  const fields = {
    Accept: accept,
    'Content-Type': body === undefined ? undefined : type,
    'Idempotency-Key': method === 'POST' ? (options.idempotencyKey ?? randomKey()) : undefined,
    'If-Match': options.ifMatch,
    'If-None-Match': options.ifNoneMatch ?? cached?.etag,
    Prefer: client.strict === false ? undefined : 'handling=strict',
    // Headers remove spaces around a value.
    'User-Agent': isServer && `${client.userAgent ?? ''} ${agent}`,
    ...Object.fromEntries(entriesOf(options.headers)),
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) headers.set(name, value);
  return {
    method,
    path: path.replace(/\?.*/, ''),
    url,
    init: {
      method,
      headers,
      // Redirects are not followed: they would turn a POST into a GET, or send the request elsewhere.
      redirect: 'manual',
      // Bun repeats a change by itself if a reused connection breaks. The SDK would take the 404 or 412 for the first response.
      // With this it opens a new connection. On other platforms it is the default.
      ...(!isRead && method !== 'POST' && { keepalive: false }),
      ...(body !== undefined && { body: renderJson(body) }),
    },
    apiKey: checkApiKey(typeof apiKey === 'function' ? await apiKey() : apiKey),
    requestId: randomKey(),
    isList,
    cached: askedAbout(cached, headers),
  };
}

/** The cached response, unless the caller's own header names another one: a 304 is then not about it. */
const askedAbout = (cached: PreparedRequest['cached'], headers: Headers) =>
  headers.get('If-None-Match') === cached?.etag ? cached : undefined;
