/** Requests for all operations of the OpenAPI document, with mutated paths, parameters, headers and bodies. */
import { operationsIn, spelledOut } from '../../../src/http/document/read-document.ts';
import { COMMITTED } from '../../../test/support/openapi-document.ts';
import type { Choices } from './choices.ts';
import { anyBody, anyNumber, anyText, damage, jsonOf } from './values.ts';

export interface FuzzedRequest {
  /** The value of X-Request-Id, which the response repeats. */
  readonly id: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Whether the target is spelled as in the OpenAPI document. */
  readonly isDocumented: boolean;
}

/** Values that the service gave out, which requests use again. */
export interface Known {
  /** The API keys: with all scopes, and with one. */
  readonly keys: readonly [string, string];
  readonly etag: string;
  readonly cursor: string;
  readonly event: string;
}

type Operation = ReturnType<typeof operationsIn>[number];
type Parameter = NonNullable<Operation['parameters']>[number];

const OPERATIONS = operationsIn(spelledOut(COMMITTED));
const OUTSIDE = ['/livez', '/readyz', '/openapi.json', '/docs', '/', '/console', '/v1', '/nothing'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** The keys that the requests themselves use have one digit. */
const isOwnKey = (id: string): boolean => /^[0-9]$/.test(id);

/** Any request: mostly of an operation, with values that are mostly allowed. */
export function anyRequest(c: Choices, id: string, known: Known): FuzzedRequest {
  if (c.chance(0.04)) {
    const target = c.pick(OUTSIDE);
    const headers = headersOf(c, id, known, []);
    const method = c.pick(METHODS);
    return { id, method, target, headers, body: undefined, isDocumented: false };
  }
  const operation = c.pick(OPERATIONS);
  const method = methodOf(c, operation.method);
  const path = targetOf(c, operation, known);
  // A shortened id could be that of a key in use.
  const isDocumented = !c.chance(0.05) || path.includes('/api-keys/');
  const target = isDocumented ? path : odd(c, path);
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(c, operation);
  const headers = headersOf(c, id, known, operation.parameters ?? []);
  if (body !== undefined) headers.push(...contentHeaders(c, operation.method === 'PATCH'));
  return { id, method, target, headers, body, isDocumented };
}

function methodOf(c: Choices, method: string): string {
  if (c.chance(0.03)) return c.pick(METHODS);
  return method === 'GET' && c.chance(0.1) ? 'HEAD' : method;
}

function targetOf(c: Choices, { path, parameters = [] }: Operation, known: Known): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => segmentOf(c, name));
  const query = parameters
    .filter(({ in: place }) => place === 'query' && c.chance(0.3))
    .flatMap((parameter) => {
      const pair = () => `${parameter.name}=${encode(c, parameterOf(c, parameter, known))}`;
      return c.chance(0.08) ? [pair(), pair()] : [pair()];
    });
  if (c.chance(0.04)) query.push(c.pick(['x', 'x=%zz', '%6Cimit=1', '=', '&&', '__proto__=x']));
  return `/v1${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** Another spelling of a target, which the service may or may not know. */
function odd(c: Choices, target: string): string {
  const at = c.int(1, target.length - 1);
  const code = target.charCodeAt(at).toString(16).padStart(2, '0');
  return c.pick([
    `${target.slice(0, at)}%${code}${target.slice(at + 1)}`,
    `${target}/`,
    `/${target}`,
    target.replace('/v1', '/v1/../v1'),
    target.replace('/v1', '/v1/.'),
    target.replace('/v1', ''),
    target.toUpperCase(),
    `${target}#fragment`,
    `${target}%00`,
    `http://127.0.0.1${target}`,
    `${target}${'&x=1'.repeat(c.int(1, 500))}`,
  ]);
}

function segmentOf(c: Choices, name: string): string {
  const value = c.chance(0.75) ? String(c.int(1, 40)) : c.pick([anyNumber(c), anyText(c)]);
  const segment = encode(c, value);
  return name === 'keyId' && isOwnKey(decodeURIComponent(segment)) ? '10' : segment;
}

/** Percent-encodes what a target cannot contain, and sometimes a bit more. */
function encode(c: Choices, text: string): string {
  const encoded = encodeURIComponent(text.slice(0, 2_000));
  if (!c.chance(0.1)) return encoded;
  return encoded.replace(/^[a-z0-9]/i, (first) => `%${first.charCodeAt(0).toString(16)}`);
}

function parameterOf(c: Choices, { name, schema }: Parameter, known: Known): string {
  if (name === 'cursor' && c.chance(0.7))
    return c.chance(0.5) ? known.cursor : damage(c, Buffer.from(known.cursor)).toString('latin1');
  if (name === 'after' && c.chance(0.7)) return known.event;
  if (c.chance(0.3)) return c.chance(0.5) ? anyNumber(c) : anyText(c);
  const value: unknown = JSON.parse(jsonOf(c, schema));
  return String(Array.isArray(value) ? (value[0] ?? '') : value);
}

const bodyOf = (c: Choices, { requestBody }: Operation): Buffer | undefined => {
  const [content] = Object.values(requestBody?.content ?? {});
  return content === undefined ? undefined : anyBody(c, content.schema);
};

const TYPES = [
  ...['application/json', 'Application/JSON; charset="utf-8"', 'application/merge-patch+json'],
  ...['text/plain', 'application/json; charset=utf-16', 'application/json;x="', 'nonsense', '*/*'],
  ...['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', ''],
];

function contentHeaders(c: Choices, isMergePatch: boolean): string[] {
  const type = isMergePatch ? 'application/merge-patch+json' : 'application/json';
  const headers = c.chance(0.1) ? [] : [`Content-Type: ${c.chance(0.1) ? c.pick(TYPES) : type}`];
  if (c.chance(0.02)) headers.push(`Content-Encoding: ${c.pick(['gzip', 'identity', 'br', 'x'])}`);
  return headers;
}

/** Headers that a client may send with any request. */
const OTHERS: readonly ((c: Choices, known: Known) => string)[] = [
  (c) => `Range: ${c.pick(['bytes=0-0', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,2-2', 'x'])}`,
  (c) => `Accept: ${c.pick(['text/html', '*/*', 'text/event-stream', ';;;', ''])}`,
  (c) => `Accept-Encoding: ${c.pick(['gzip', 'br;q=0', '*', 'gzip;q=x', 'identity;q=0'])}`,
  (c) => `Prefer: ${c.pick(['handling=strict', 'handling=lenient', 'respond-async', '=', '"'])}`,
  (c) => `X-Forwarded-For: ${c.pick(['1.2.3.4', '::1, x', '', 'a'.repeat(500)])}`,
  (c) => `Origin: ${c.pick(['null', 'https://shop.example', 'x'])}`,
  (c) => `Cookie: ${'a=b; '.repeat(c.int(1, 200))}`,
  (c) => `X-Text: ${c.pick(['\u00e9\u00ff', '\t', '"\\"', "' OR 1=1", '{{7*7}}'])}`,
  (c) => `If-Modified-Since: ${c.pick(['x', 'Thu, 01 Jan 1970 00:00:00 GMT'])}`,
  (c, { event }) => `Last-Event-ID: ${c.pick([event, 'x', '1', ''])}`,
  (c) => `Access-Control-Request-Method: ${c.pick(METHODS)}`,
  (c) => `X-HTTP-Method-Override: ${c.pick(METHODS)}`,
  (c) => `Upgrade: ${c.pick(['websocket', 'h2c'])}`,
  (c) => `Connection: ${c.pick(['keep-alive', 'close', 'Authorization', 'x, y'])}`,
  () => `X-Long: ${'x'.repeat(4_000)}`,
];

/** Values for the parameters of the document that are headers. */
const OF_OPERATIONS: Readonly<Record<string, (c: Choices, known: Known) => string>> = {
  'If-Match': (c, { etag }) =>
    c.pick([etag, '*', '"x"', `W/${etag}`, 'x', '', '"', `"a", ${etag}`]),
  'If-None-Match': (c, { etag }) => c.pick([etag, '*', `W/${etag}`, '"x', '*, *', '\u00e9']),
  'Idempotency-Key': (c) =>
    c.pick([
      `key-${c.int(1, 500)}`,
      `"${c.int(1, 500)}"`,
      '',
      'a b',
      '"',
      'x'.repeat(256),
      '\u00e9',
    ]),
  'Last-Event-ID': (c, { event }) => c.pick([event, 'x', '0']),
};

function headersOf(
  c: Choices,
  id: string,
  known: Known,
  parameters: readonly Parameter[],
): string[] {
  const headers = [`Host: ${c.chance(0.02) ? c.pick(HOSTS) : '127.0.0.1'}`, `X-Request-Id: ${id}`];
  headers.push(...authorizationOf(c, known));
  for (const { name } of parameters) {
    const value = OF_OPERATIONS[name];
    if (value !== undefined && c.chance(0.25)) headers.push(`${name}: ${value(c, known)}`);
  }
  while (c.chance(0.12)) headers.push(c.pick(OTHERS)(c, known));
  return headers;
}

const HOSTS = ['a b', 'a/b', 'user@a', 'a:b', '[::1', 'a%b', '', '[::1]:80', 'é', 'a'.repeat(300)];

function authorizationOf(c: Choices, { keys: [all, one] }: Known): string[] {
  if (c.chance(0.94)) return [`Authorization: ${c.pick(['Bearer', 'bearer'])} ${all}`];
  return c.pick([
    [],
    [`Authorization: Bearer ${one}`],
    [`Authorization: Bearer ${all.slice(0, -1)}x`],
    [`Authorization: Bearer ${all}`, `Authorization: Bearer ${all}`],
    ['Authorization: Basic YTpi'],
    ['Authorization: Bearer'],
    [`Authorization: Bearer ${'x'.repeat(5_000)}`],
    [`Authorization:\tBearer  ${all} `],
  ]);
}
