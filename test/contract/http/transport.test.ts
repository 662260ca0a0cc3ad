/** What only shows on a real socket: framing, HEAD, odd methods, two headers of one name, large and slow bodies. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Keyring } from '../../../src/api-keys/keyring.ts';
import { systemClock } from '../../../src/clock.ts';
import { readConfig, SETTINGS, type SettingName } from '../../../src/config/config.ts';
import { startServer } from '../../../src/server/server.ts';
import { chosenEngine } from '../../support/engines.ts';
import { listen, type SocketService } from '../../support/socket.ts';

let service: SocketService;
let authorization: string;
beforeAll(async () => {
  service = await listen();
  authorization = `Authorization: Bearer ${service.key}`;
});
afterAll(() => service.close());

const request = (line: string, ...headers: string[]): Promise<string> =>
  service.send([line, 'Host: store.test', ...headers, '', ''].join('\r\n'));

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

describe('a request on the wire', () => {
  test('is answered with the Error body when it has no credential', async () => {
    const answer = await request('GET /v1/pets HTTP/1.1');
    expect(statusOf(answer)).toBe(401);
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ code: 'credential_missing', status: 401 });
  });

  test('with two Authorization headers is 401, whether they differ or not', async () => {
    for (const second of [authorization, 'Authorization: Bearer x']) {
      const answer = await request('GET /v1/pets HTTP/1.1', authorization, second);
      expect(JSON.parse(bodyOf(answer))).toMatchObject({ code: 'credential_invalid' });
    }
  });

  test('HEAD has the Content-Length of GET and no body', async () => {
    const get = await request('GET /v1/pets/5 HTTP/1.1', authorization);
    const head = await request('HEAD /v1/pets/5 HTTP/1.1', authorization);
    const length = (answer: string) => /content-length: (\d+)/i.exec(answer)?.[1];
    expect(length(head)).toBe(length(get));
    expect(length(get)).toBe(String(Buffer.byteLength(bodyOf(get))));
    expect(bodyOf(head)).toBe('');
  });

  test('HEAD leaves the connection in step for the next request', async () => {
    const head = ['HEAD /v1/pets HTTP/1.1', 'Host: x', authorization, '', ''];
    const next = ['GET /livez HTTP/1.1', 'Host: x', '', ''];
    const answer = await service.send(head.join('\r\n'), next.join('\r\n'));
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(answer).toEndWith('{"status":"ok"}');
  });

  test.each(['OPTIONS', 'TRACE', 'PUT', 'PROPFIND'])(
    'with the method %s is 405 with Allow',
    async (method) => {
      const answer = await request(`${method} /v1/pets HTTP/1.1`, authorization);
      expect(statusOf(answer)).toBe(405);
      expect(answer).toMatch(/^Allow: GET, HEAD, POST\r$/im);
    },
  );

  test('builds links from the base address, whatever Host says', async () => {
    const body = '{"name":"Rex","categoryId":1}';
    const head = ['POST /v1/pets HTTP/1.1', 'Host: evil.test', authorization];
    const lines = [...head, `Content-Length: ${body.length}`, '', body];
    const answer = await service.send(lines.join('\r\n'));
    expect(answer).toContain(`Location: ${service.origin}/v1/pets/`);
  });

  test('with a nonsensical Host or target is answered, and the server lives on', async () => {
    for (const head of [
      'GET /v1/pets HTTP/1.1\r\nHost: a b',
      'GET //v1/pets HTTP/1.1\r\nHost: x',
      'CONNECT a:1 HTTP/1.1\r\nHost: x',
      'GET http://evil.test/v1/pets HTTP/1.1\r\nHost: x',
      'GET /v1\\pets#x HTTP/1.1\r\nHost: x',
    ]) {
      expect(statusOf(await service.send(`${head}\r\n\r\n`))).toBeWithin(400, 500);
    }
    expect(statusOf(await request('GET /livez HTTP/1.1'))).toBe(200);
  });
});

describe('a body on the wire', () => {
  const post = (headers: string[], body: string | Uint8Array) =>
    service.send(
      Buffer.concat([
        Buffer.from(
          [
            'POST /v1/pets HTTP/1.1',
            'Host: x',
            authorization,
            'Content-Type: application/json',
            ...headers,
            '',
            '',
          ].join('\r\n'),
        ),
        Buffer.from(body),
      ]),
    );

  test('may come in chunks', async () => {
    const answer = await post(
      ['Transfer-Encoding: chunked'],
      '8\r\n{"name":\r\n15\r\n"Rex","categoryId":1}\r\n0\r\n\r\n',
    );
    expect(statusOf(answer)).toBe(201);
  });

  test('in chunks that are empty is 400 body_required', async () => {
    const answer = await post(['Transfer-Encoding: chunked'], '0\r\n\r\n');
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ code: 'body_required' });
  });

  test('of more than 1 MiB is 413 with the Error body, declared or in chunks', async () => {
    const size = 1024 * 1024 + 1;
    const declared = await post([`Content-Length: ${size}`], Buffer.alloc(size, 0x20));
    expect(JSON.parse(bodyOf(declared))).toMatchObject({ code: 'content_too_large', status: 413 });
    const chunk = Buffer.concat([
      Buffer.from(`${size.toString(16)}\r\n`),
      Buffer.alloc(size, 0x20),
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    const chunked = await post(['Transfer-Encoding: chunked'], chunk);
    expect(JSON.parse(bodyOf(chunked))).toMatchObject({ code: 'content_too_large', status: 413 });
  });

  test('that was refused unread leaves the connection in step for the next request', async () => {
    const lines = [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      authorization,
      'Content-Type: text/plain',
      'Content-Length: 5',
      '',
      'GET /',
    ].join('\r\n');
    const answer = await service.send(`${lines}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 415');
    expect(answer).toEndWith('{"status":"ok"}');
  });

  test.each([
    ['shorter than its Content-Length', ['Content-Length: 100'], '{"name":"Rex","categoryId":1}'],
    [
      'whose chunks stop',
      ['Transfer-Encoding: chunked'],
      '1d\r\n{"name":"Rex","categoryId":1}\r\n',
    ],
  ])('%s stores nothing, and is no failure of the service', async (_what, headers, body) => {
    const before = await request('GET /v1/pets?limit=100 HTTP/1.1', authorization);
    service.observed.length = 0;
    await post(headers, body);
    const after = await request('GET /v1/pets?limit=100 HTTP/1.1', authorization);
    expect(bodyOf(after)).toBe(bodyOf(before));
    while (service.observed.length < 2) await Bun.sleep(5);
    const statuses = service.observed.map((seen) => (seen.kind === 'request' ? seen.status : seen));
    expect(statuses.toSorted()).toEqual([200, 400]);
  });
});

describe('several requests at once on one connection', () => {
  test('that read are answered in their order, while there is no crowd', async () => {
    const requests = [1, 2, 3].map(
      (id) => `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ask-${id}\r\n\r\n`,
    );
    const answers = await service.send(requests.join(''));
    expect(answers.match(/ask-\d/g)).toEqual(['ask-1', 'ask-2', 'ask-3']);
  });

  test('of which the first writes end the connection without an answer, and the first is done once', async () => {
    const body = '{"name":"Piped","categoryId":77}';
    const lines = ['POST /v1/pets HTTP/1.1', 'Host: x', authorization];
    const fields = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
    const first = [...lines, ...fields].join('\r\n');
    expect(await service.send(`${first}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
    const find = async (): Promise<unknown[]> =>
      JSON.parse(bodyOf(await request('GET /v1/pets?categoryId=77 HTTP/1.1', authorization)));
    // The connection ends before the animal is on disk.
    while ((await find()).length === 0) await Bun.sleep(5);
    expect(await find()).toHaveLength(1);
  });
});

test('what fails outside of the app is told as an Error body, and nothing of it is shown', async () => {
  const storage = await chosenEngine().open();
  const failures: unknown[] = [];
  const names = Object.keys(SETTINGS) as SettingName[];
  const server = startServer(readConfig(names, { port: '0' }, {}), {
    database: storage.database,
    keyring: new Keyring({
      clock: systemClock,
      environment: 'production',
      randomBytes: (bytes) => crypto.getRandomValues(bytes),
    }),
    observe: (observation) => {
      if (observation.kind === 'request_failed') failures.push(observation.error);
    },
    clock: systemClock,
    generateRequestId: () => {
      throw new Error('a secret of ours');
    },
  });
  const answer = await fetch(`${server.origin}/livez`);
  const text = await answer.text();
  expect(answer.status).toBe(500);
  expect(JSON.parse(text)).toEqual({
    code: 'internal_error',
    message: expect.any(String),
    status: 500,
  });
  expect(text).not.toContain('secret');
  expect(failures).toHaveLength(1);
  const head = await fetch(`${server.origin}/livez`, { method: 'HEAD' });
  expect(Date.parse(head.headers.get('date') ?? '')).toBeWithin(0, Date.now() + 1);
  await server.stop('test');
  await storage.remove();
});
