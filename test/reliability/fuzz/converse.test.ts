import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { converse } from './converse.ts';
import type { FuzzedRequest } from './requests.ts';

const request = (id: string): FuzzedRequest => ({
  id,
  method: 'GET',
  target: '/docs',
  headers: [],
  body: undefined,
  isDocumented: false,
});

const stepOf = (id: string) => ({
  request: request(id),
  pieces: [Buffer.from(`GET /docs HTTP/1.1\r\nX-Request-Id: ${id}\r\n\r\n`)],
  pauseMs: 0,
});

/** Has a pipelined conversation with a server that closes the connection within its first response. */
async function problemsOfCutOff(ids: readonly string[]): Promise<readonly string[]> {
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\nX-Request-Id: fuzz-0\r\nContent-Length: 5\r\n\r\nabc');
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const steps = ids.map(stepOf);
  const { problems } = await converse(port, {
    name: 'one',
    kind: 'pipelined',
    isReset: false,
    steps,
  });
  server.close();
  return problems;
}

test('a response may be cut off if a pipelined request follows it', async () => {
  expect(await problemsOfCutOff(['fuzz-0', 'fuzz-1'])).toEqual([]);
});

test('a response may not be cut off if no request follows it', async () => {
  const [problem] = await problemsOfCutOff(['fuzz-0']);
  expect(problem).toStartWith('one: it received a body without its end');
});
