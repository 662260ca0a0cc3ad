/** Behaviour on a real socket: framing, HEAD, unusual methods, repeated headers, large and truncated bodies. */
import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { bodyOf, listen, statusOf } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const service = useShared(() => listen());

const request = (line: string, ...headers: string[]): Promise<string> =>
  service.request(line, 'Host: store.test', ...headers);

describe('a request on a socket', () => {
  test('with two Authorization headers is 401, even if they are equal', async () => {
    for (const second of [service.authorization, 'Authorization: Bearer x']) {
      const response = await request('GET /v1/pets HTTP/1.1', service.authorization, second);
      expect(JSON.parse(bodyOf(response))).toMatchObject({ code: 'credential_invalid' });
    }
  });

  test('with HEAD gets the Content-Length of GET and no body', async () => {
    const get = await request('GET /v1/pets/5 HTTP/1.1', service.authorization);
    const head = await request('HEAD /v1/pets/5 HTTP/1.1', service.authorization);
    const length = (response: string) => /content-length: (\d+)/i.exec(response)?.[1];
    expect(length(head)).toBe(length(get));
    expect(length(get)).toBe(String(Buffer.byteLength(bodyOf(get))));
    expect(bodyOf(head)).toBe('');
  });

  test('can follow HEAD on the same connection', async () => {
    const head = ['HEAD /v1/pets HTTP/1.1', 'Host: x', service.authorization, '', ''];
    const next = ['GET /livez HTTP/1.1', 'Host: x', 'Connection: close', '', ''];
    const response = await service.send(head.join('\r\n'), next.join('\r\n'));
    expect(response.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(response).toEndWith('{"status":"ok"}');
  });

  test.each(['OPTIONS', 'TRACE', 'PUT', 'PROPFIND'])(
    'with the method %s is 405 with Allow',
    async (method) => {
      const response = await request(`${method} /v1/pets HTTP/1.1`, service.authorization);
      expect(statusOf(response)).toBe(405);
      expect(response).toMatch(/^Allow: GET, HEAD, POST\r$/im);
    },
  );

  test('with a malformed Host or target gets a 4xx, and the server stays up', async () => {
    for (const head of [
      'GET /v1/pets HTTP/1.1\r\nHost: a b',
      'GET //v1/pets HTTP/1.1\r\nHost: x',
      'CONNECT a:1 HTTP/1.1\r\nHost: x',
      'GET http://evil.test/v1/pets HTTP/1.1\r\nHost: x',
      'GET /v1\\pets#x HTTP/1.1\r\nHost: x',
    ]) {
      expect(statusOf(await service.request(head))).toBeWithin(400, 500);
    }
    expect(statusOf(await request('GET /livez HTTP/1.1'))).toBe(200);
  });
});

describe('a body on a socket', () => {
  const REX = '{"name":"Rex","categoryId":1}';
  const message = (headers: string[], body: string | Uint8Array) => {
    const lines = ['POST /v1/pets HTTP/1.1', 'Host: x', service.authorization, 'Connection: close'];
    const type = 'Content-Type: application/json';
    const head = [...lines, type, ...headers, '', ''].join('\r\n');
    return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
  };
  const post = (headers: string[], body: string | Uint8Array) =>
    service.send(message(headers, body));

  test('may come in chunks', async () => {
    const response = await post(
      ['Transfer-Encoding: chunked'],
      '8\r\n{"name":\r\n15\r\n"Rex","categoryId":1}\r\n0\r\n\r\n',
    );
    expect(statusOf(response)).toBe(201);
  });

  test('in chunks that are empty is 400 body_required', async () => {
    const response = await post(['Transfer-Encoding: chunked'], '0\r\n\r\n');
    expect(JSON.parse(bodyOf(response))).toMatchObject({ code: 'body_required' });
  });

  test('of more than 1 MiB is 413 with the Error body, declared or in chunks', async () => {
    const size = 1024 * 1024 + 1;
    const largest = await post([`Content-Length: ${size - 1}`], REX.padEnd(size - 1));
    expect(statusOf(largest)).toBe(201);
    const declared = await post([`Content-Length: ${size}`], Buffer.alloc(size, 0x20));
    expect(JSON.parse(bodyOf(declared))).toMatchObject({ code: 'content_too_large', status: 413 });
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n0\r\n\r\n`;
    const chunked = await post(['Transfer-Encoding: chunked'], chunk);
    expect(JSON.parse(bodyOf(chunked))).toMatchObject({ code: 'content_too_large', status: 413 });
  });

  test('that is rejected unread can precede another request', async () => {
    const head = [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      service.authorization,
      'Content-Type: text/plain',
    ];
    const rejected = [...head, 'Content-Length: 5', '', 'GET /'].join('\r\n');
    const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const response = await service.send(rejected + next);
    expect(response).toContain('HTTP/1.1 415');
    expect(response).toEndWith('{"status":"ok"}');
  });

  test.each([
    ['that is shorter than its Content-Length', 'Content-Length: 100', REX],
    ['whose chunks stop', 'Transfer-Encoding: chunked', `1d\r\n${REX}\r\n`],
  ])('%s stores nothing, and is not a failure of the service', async (_what, header, body) => {
    const before = await request('GET /v1/pets?limit=100 HTTP/1.1', service.authorization);
    service.observed.length = 0;
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    socket.end(message([header], body));
    await once(socket, 'close');
    const after = await request('GET /v1/pets?limit=100 HTTP/1.1', service.authorization);
    expect(bodyOf(after)).toBe(bodyOf(before));
    while (service.observed.length < 2) await Bun.sleep(5);
    const statuses = service.observed.map((seen) => (seen.kind === 'request' ? seen.status : seen));
    expect(statuses.toSorted()).toEqual([200, 400]);
  });
});

describe('pipelined requests', () => {
  test('that read get their responses in order, if requests are not batched', async () => {
    const requests = [1, 2, 3].map(
      (id) => `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ask-${id}\r\n`,
    );
    const responses = await service.send(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
    expect(responses.match(/ask-\d/g)).toEqual(['ask-1', 'ask-2', 'ask-3']);
  });

  test('close the connection without a response if the first one writes, which is done once', async () => {
    const body = '{"name":"Piped","categoryId":77}';
    const lines = ['POST /v1/pets HTTP/1.1', 'Host: x', service.authorization];
    const fields = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
    const first = [...lines, ...fields].join('\r\n');
    expect(await service.send(`${first}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
    const find = async (): Promise<unknown[]> =>
      JSON.parse(
        bodyOf(await request('GET /v1/pets?categoryId=77 HTTP/1.1', service.authorization)),
      );
    // The connection closes before the animal is stored.
    while ((await find()).length === 0) await Bun.sleep(5);
    expect(await find()).toHaveLength(1);
  });
});

test('a failure outside the app is an Error body without the reason', async () => {
  const fail = () => {
    throw new Error('a secret of ours');
  };
  await using failing = await listen({}, undefined, fail);
  const response = await fetch(`${failing.origin}/livez`);
  const text = await response.text();
  expect([response.status, response.headers.get('cache-control')]).toEqual([500, 'no-store']);
  const message = expect.any(String);
  expect(JSON.parse(text)).toEqual({ code: 'internal_error', message, status: 500 });
  expect(text).not.toContain('secret');
  expect(failing.observed).toMatchObject([{ kind: 'request_failed' }]);
  const head = await fetch(`${failing.origin}/livez`, { method: 'HEAD' });
  expect(Date.parse(head.headers.get('date') ?? '')).toBeWithin(0, Date.now() + 1);
});

/** Facts about the runtime that docs/failures.md tells. */
const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const MiB = 1024 * 1024;

test.each([
  ['1.1', '100-continue', ['100'], ['200']],
  ['1.0', '100-continue', ['100'], []],
  ['1.1', '100-Continue', [], ['200']],
  ['1.1', 'another', [], ['200']],
])(
  'an expectation of HTTP/%s %s is answered by the runtime with %j, and a refusal waits for no body',
  async (version, expected, before, after) => {
    for (const [refusal, length, ...headers] of [
      ['401', 9],
      ['413', 2 * MiB, service.authorization],
    ] as const) {
      const fields = ['Host: x', `Expect: ${expected}`, `Content-Length: ${length}`, ...headers];
      const head = [`POST /v1/pets HTTP/${version}`, ...fields, '', ''].join('\r\n');
      const received = await service.send(head, `${'x'.repeat(length)}${next}`);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses).toEqual([...before, refusal, ...after]);
    }
  },
);
