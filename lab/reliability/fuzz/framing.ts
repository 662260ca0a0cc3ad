/** How requests become bytes: well framed, ambiguous or broken. */
import type { Choices } from './choices.ts';
import type { FuzzedRequest } from './requests.ts';
import { damage } from './values.ts';

const line = (text: string): Buffer => Buffer.from(`${text}\r\n`, 'latin1');

const head = ({ method, target, headers }: FuzzedRequest, framing: readonly string[]): Buffer =>
  Buffer.concat([`${method} ${target} HTTP/1.1`, ...headers, ...framing, ''].map(line));

/** A body in chunks of any sizes, some with extensions. */
function chunked(c: Choices, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = c.int(1, Math.max(1, body.length - at));
    const hex = size.toString(16);
    const extension = c.pick(['', '', '', ';x', ';x=y', ';x="a;b"']);
    const written = c.pick([hex, hex.toUpperCase(), `000${hex}`]);
    parts.push(line(`${written}${extension}`), body.subarray(at, at + size), line(''));
    at += size;
  }
  return Buffer.concat([...parts, line('0'), line('')]);
}

/** The bytes of a request that HTTP allows. */
export function framed(c: Choices, request: FuzzedRequest): Buffer {
  const { body } = request;
  if (body === undefined) return head(request, c.chance(0.02) ? ['Content-Length: 0'] : []);
  const expect = c.chance(0.02) ? ['Expect: 100-continue'] : [];
  if (c.chance(0.25))
    return Buffer.concat([
      head(request, [...expect, `Transfer-Encoding: ${c.pick(['chunked', 'Chunked'])}`]),
      chunked(c, body),
    ]);
  return Buffer.concat([head(request, [...expect, `Content-Length: ${body.length}`]), body]);
}

/** A request that its body contains, if the length of the body is misread. */
const hiddenRequest = (key: string): string =>
  [
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    `X-Request-Id: ${HIDDEN}`,
    `Content-Length: ${HIDDEN_PET.length}`,
    '',
    HIDDEN_PET,
  ].join('\r\n');

/** Identifies responses to hidden requests. */
export const HIDDEN = 'hidden-request';

/** The animal that hidden requests add. */
export const HIDDEN_PET = '{"name":"Hidden","categoryId":424242}';

/** Bytes with two readings of their length (RFC 9112, 11.2). One of them hides a request, which must not be executed. */
export function ambiguous(c: Choices, request: FuzzedRequest, key: string): Buffer {
  const hidden = Buffer.from(hiddenRequest(key));
  const end = Buffer.from('0\r\n\r\n');
  const post = { ...request, method: 'POST', target: '/v1/pets' };
  const both = `Content-Length: ${end.length + hidden.length}`;
  const codings = c.pick([
    ['Transfer-Encoding: chunked', both],
    [both, 'Transfer-Encoding: chunked'],
    [both, 'Transfer-Encoding : chunked'],
    [both, 'Transfer-Encoding: xchunked'],
    [both, 'Transfer-Encoding: chunked, identity'],
    [both, 'Transfer-Encoding: identity, chunked'],
    [both, 'Transfer-Encoding:\u000bchunked'],
    [both, 'X: y\nTransfer-Encoding: chunked'],
    [both, `Content-Length: ${end.length}`],
    [`Content-Length: ${end.length}, ${end.length + hidden.length}`],
    [`Content-Length: +${end.length + hidden.length}`],
    [`Content-Length: 0x${hidden.length.toString(16)}`],
  ]);
  return Buffer.concat([head(post, codings), end, hidden]);
}

/** A well framed request whose body contains a request. */
export const withHiddenRequest = (request: FuzzedRequest, key: string): FuzzedRequest => ({
  ...request,
  body: Buffer.from(`0\r\n\r\n${hiddenRequest(key)}`),
});

/** Bytes that are not HTTP, mostly. */
export function broken(c: Choices, request: FuzzedRequest): Buffer {
  const bytes = framed(c, request);
  return c.pick([
    () => damage(c, bytes),
    () => damage(c, damage(c, bytes)),
    () => Buffer.from(Array.from({ length: c.int(1, 300) }, () => c.int(0, 255))),
    () => Buffer.concat([line(c.pick(ODD_LINES)), bytes]),
    () => Buffer.concat([line(c.pick(ODD_LINES)), line('Host: x'), line('')]),
    () => head(request, [`X: ${'x'.repeat(c.int(8_000, 40_000))}`]),
    () => head(request, [c.pick(ODD_HEADERS)]),
    () => Buffer.concat([head(request, ['Transfer-Encoding: chunked']), c.pick(ODD_CHUNKS)]),
    () =>
      head(
        request,
        Array.from({ length: c.int(90, 400) }, (_, n) => `X-${n}: 1`),
      ),
    () => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  ])();
}

const ODD_LINES = [
  ...['', 'GET', 'GET /v1/pets', 'GET /v1/pets HTTP/9.9', 'GET  /v1/pets  HTTP/1.1', 'hello'],
  ...['PRI * HTTP/2.0', 'get /v1/pets HTTP/1.1', 'GET /v1/pets HTTP/1.10', 'FOO / HTTP/1.1'],
  ...[
    'GET /v1/p\0ts HTTP/1.1',
    'GET /v1/\u00e9 HTTP/1.1',
    '\u0016\u0003\u0001',
    'CONNECT a:1 HTTP/1.1',
  ],
  ...['OPTIONS * HTTP/1.1', `GET /${'x'.repeat(20_000)} HTTP/1.1`, 'GET http:// HTTP/1.1', '\t'],
  ...['GET http://[::1/v1/pets HTTP/1.1', 'GET //a:99999999/ HTTP/1.1', 'GET ? HTTP/1.1'],
];
const ODD_HEADERS = [
  ...[
    'nonsense',
    ': x',
    'X : y',
    ' folded',
    'X: a\0b',
    'X: a\nb',
    'X: a\rb',
    'X\u00e9: y',
    'Host: b',
  ],
  ...['Content-Length: -1', 'Content-Length: 1e3', 'Content-Length: 99999999999999999999'],
  ...['Content-Length: 70000000', 'Content-Length: ', 'Transfer-Encoding: ', 'Expect: x'],
  ...['Trailer: X-Sum', 'Connection: close, close', 'Upgrade: h2c\r\nConnection: Upgrade'],
];
const ODD_CHUNKS = [
  ...['-1\r\n', 'g\r\n', 'fffffffffffffffff\r\n', '3\r\nabcXX', '3;\nabc\r\n', '\r\n', ' 3\r\nabc'],
  ...[
    '3\r\nab',
    '0\r\nX-Sum: 1\r\n\r\n',
    '0\r\n X\r\n',
    '3\nabc\n0\n\n',
    `${'0'.repeat(5_000)}3\r\n`,
  ],
].map((text) => Buffer.from(text));
