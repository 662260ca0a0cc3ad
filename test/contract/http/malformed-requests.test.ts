/** Requests that violate HTTP: the service rejects them with the Error body, or the runtime does. */
import { describe, expect, test } from 'bun:test';
import { bodyOf, listen, statusOf } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const service = useShared(() => listen());

const request = (...lines: string[]) => service.request(...lines);

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\n';

describe('a Host header', () => {
  test.each([
    ['that occurs twice', ['Host: a', 'Host: b']],
    ['that occurs twice with the same value', ['Host: a', 'Host: a']],
    ['with a space', ['Host: a b']],
    ['with a slash', ['Host: a/b']],
    ['with a question mark', ['Host: a?b']],
    ['with a user name', ['Host: user@a']],
    ['with two colons', ['Host: a:80:80']],
    ['with a port that is not a number', ['Host: a:b']],
    ['with an open bracket', ['Host: [::1']],
    ['with an incomplete percent-encoding', ['Host: a%b']],
    ['with a port above 65535', ['Host: 127.0.0.1:65536']],
    ['with a port of many digits', ['Host: a:99999999999999999999999']],
    ['with a negative port', ['Host: a:-1']],
    ['with an address that is not IPv6', ['Host: [1::2::3]']],
    ['with an IPv6 address that ends in invalid IPv4', ['Host: [::ffff:1.2.3.400]:80']],
    ['with a zone', ['Host: [fe80::1%25eth0]']],
    ['with an IPv6 address without brackets', ['Host: ::1']],
  ])('%s is 400 invalid_request', async (_what, hosts) => {
    const responses = ['/v1/pets', '/v1/no', '/livez', '/no'].map((path) =>
      request(`GET ${path} HTTP/1.1`, ...hosts, service.authorization),
    );
    for (const response of await Promise.all(responses)) {
      expect(JSON.parse(bodyOf(response))).toEqual({
        code: 'invalid_request',
        message: 'The request must have exactly one valid Host header.',
        status: 400,
      });
    }
  });

  test('may be a name, an address, either with a port, or empty', async () => {
    const hosts = [
      ...['store.test', 'store.test:8080', 'my_store.internal', '127.0.0.1:80', '[::1]:8080'],
      ...['[2001:db8::7]', 'caf%C3%A9.test', 'a,b', 'store.test:', 'store.test:65535'],
      ...['store.test:0000000080', '[::ffff:192.0.2.7]', '[v1.a:b]:80'],
      // URLs of browsers do not allow the next two.
      '256.1.1.1',
      'caf%00.test',
      '',
    ];
    const responses = hosts.map((host) =>
      request('GET /v1/pets HTTP/1.1', `Host: ${host}`, service.authorization),
    );
    expect((await Promise.all(responses)).map(statusOf)).toEqual(hosts.map(() => 200));
  });

  test.each(['store.test', '256.1.1.1', '[v1.a]'])(
    'of %s leaves the path as it is, whatever the query contains',
    async (host) => {
      const get = (target: string) =>
        request(`GET ${target} HTTP/1.1`, `Host: ${host}`, service.authorization);
      expect(bodyOf(await get('/v1/pets?x=http://a/livez'))).toBe('[]');
      expect(bodyOf(await get('/livez?x=http://a/v1/pets'))).toBe('{"status":"ok"}');
    },
  );

  test('is optional in HTTP/1.0', async () => {
    expect(statusOf(await request('GET /v1/pets HTTP/1.0', service.authorization))).toBe(200);
  });

  test('is checked after the credential and before path, parameters and body', async () => {
    const hosts = ['Host: a', 'Host: b'];
    const codeOf = async (...lines: string[]) =>
      JSON.parse(bodyOf(await request(...lines, ...hosts))).code;
    expect(await codeOf('GET /v1/pets HTTP/1.1')).toBe('credential_missing');
    expect(await codeOf('GET /v1/nothing HTTP/1.1', service.authorization)).toBe('invalid_request');
    expect(await codeOf('GET /v1/pets?limit=0 HTTP/1.1', service.authorization)).toBe(
      'invalid_request',
    );
    expect(await codeOf('POST /v1/pets HTTP/1.1', service.authorization)).toBe('invalid_request');
  });

  test('is checked for each request of a connection, also after a valid one', async () => {
    const get = (...headers: string[]) =>
      ['GET /v1/pets HTTP/1.1', service.authorization, ...headers, '', ''].join('\r\n');
    const valid = get('Host: a');
    const last = get('Host: a', 'Connection: close');
    const responses = await service.send(valid, valid, get('Host: a b'), last);
    const statuses = responses.match(/(?<=HTTP\/1\.1 )\d+/g);
    expect(statuses).toEqual(['200', '200', '400', '200']);
  });
});

describe('a request with a trailer section', () => {
  const body = '1d\r\n{"name":"Rex","categoryId":9}\r\n0\r\n';
  const head = `${POST}Content-Type: application/json\r\nTransfer-Encoding: chunked`;
  const animals = async () =>
    JSON.parse(
      bodyOf(await request('GET /v1/pets?categoryId=9 HTTP/1.1', 'Host: x', service.authorization)),
    );

  const headOf = (...headers: string[]) => [head, ...headers, '', ''].join('\r\n');
  const firstBody = (responses: string) =>
    JSON.parse(bodyOf(responses).replace(/HTTP\/1\.1.*/s, ''));

  test('is 400 invalid_request, and stores nothing', async () => {
    const announced = headOf(service.authorization, 'Trailer: X-Checksum');
    const responses = await service.send(announced, `${body}X-Checksum: 1\r\n\r\n`);
    expect(responses.split('\r\n\r\n', 1)[0]).toMatch(/^Connection: close$/im);
    const message = 'The request must not have a trailer section.';
    expect(firstBody(responses)).toEqual({ code: 'invalid_request', message, status: 400 });
    expect(await animals()).toEqual([]);
  });

  // The runtime may reject the trailer section before the service responds.
  test('is 400 and stores nothing if head, body and trailer section arrive together', async () => {
    const announced = headOf(service.authorization, 'Trailer: X-Checksum');
    expect(statusOf(await service.send(`${announced}${body}X-Checksum: 1\r\n\r\n`))).toBe(400);
    expect(await animals()).toEqual([]);
  });

  test('is 401 without a credential', async () => {
    const announced = headOf('Trailer: X-Checksum');
    const responses = await service.send(announced, `${body}X-Checksum: 1\r\n\r\n`);
    expect(firstBody(responses)).toMatchObject({ code: 'credential_missing' });
  });
});

const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

/** Behaviour of the runtime. An upgrade that changes it fails here. */
describe('the runtime rejects', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding together',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two different Content-Lengths', `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde`],
    ['a negative Content-Length', `${POST}Content-Length: -1\r\n\r\n`],
    ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
    ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
    ['64 KiB of headers', `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['a URL of 17 KiB', `GET /v1/pets?x=${'x'.repeat(17_408)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a bare line', 'hello\r\n\r\n'],
    ['an unknown transfer coding', `${CHUNKED.replace('chunked', 'xchunked')}0\r\n\r\n`],
    ['a transfer coding after chunked', `${CHUNKED.replace('chunked', 'chunked, gzip')}0\r\n\r\n`],
    ['a space before a colon', `${CHUNKED.replace('Encoding:', 'Encoding :')}0\r\n\r\n`],
    ['a chunk without its line end', `${CHUNKED}3\r\nabcXX0\r\n\r\n`],
    ['a chunk size beyond 64 bits', `${CHUNKED}fffffffffffffffff\r\nabc\r\n0\r\n\r\n`],
    ['a chunk extension with a bare line feed', `${CHUNKED}3;a\nabc\r\n0\r\n\r\n`],
    ['a Content-Length with a sign', `${POST}Content-Length: +1\r\n\r\na`],
    ['a folded header', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    ['a header with a zero byte', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
  ])('%s', async (_what, bytes) => {
    const response = await service.send(bytes);
    expect(response === '' || (statusOf(response) >= 400 && statusOf(response) < 500)).toBe(true);
    expect(statusOf(await request('GET /livez HTTP/1.1', 'Host: x'))).toBe(200);
  });

  test.each([
    ['an empty line', '\r\n'],
    ['a bare line', 'hello\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\n\r\n'],
  ])(
    '%s in the packet of a valid POST: the client gets only the refusal, and with its idempotent retry the POST is executed once',
    async (_what, bytes) => {
      const categoryId = 1_000 + bytes.length;
      const content = JSON.stringify({ name: 'Rex', categoryId });
      const key = `Idempotency-Key: before-${bytes.length}`;
      const post = `${POST}${service.authorization}\r\n${key}\r\nContent-Length: ${content.length}`;
      const alone = `${post}\r\nConnection: close\r\n\r\n${content}`;
      const refused = await service.send(`${post}\r\n\r\n${content}${bytes}`);
      expect(refused.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
      expect([400, 505]).toContain(statusOf(refused));
      expect(bodyOf(refused)).toBe('');
      let retried = await service.send(alone);
      // The connection may be closed before the POST is executed.
      while (statusOf(retried) === 409) retried = await service.send(alone);
      expect(statusOf(retried)).toBe(201);
      const list = `GET /v1/pets?categoryId=${categoryId} HTTP/1.1`;
      const found = JSON.parse(bodyOf(await request(list, 'Host: x', service.authorization)));
      expect(found).toEqual([JSON.parse(bodyOf(retried))]);
    },
  );

  test('what follows the last chunk without its line end, so that a body hides no request', async () => {
    const responses = await service.send(`${CHUNKED}0\r\nXXGET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 400']);
  });
});
