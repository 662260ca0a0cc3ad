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

/** Has a conversation with a server that closes the connection within its first response. */
async function problemsOfCutOff(
  kind: 'pipelined' | 'broken' | 'half-closed',
  ids: readonly string[],
): Promise<readonly string[]> {
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
    kind,
    isReset: false,
    steps,
  });
  server.close();
  return problems;
}

test.each([
  ['a pipelined request follows it', 'pipelined', ['fuzz-0', 'fuzz-1']],
  ['its request is broken', 'broken', ['fuzz-0']],
] as const)('a response may be cut off if %s', async (_, kind, ids) => {
  expect(await problemsOfCutOff(kind, ids)).toEqual([]);
});

test.each(['pipelined', 'half-closed'] as const)(
  'the last response of a conversation that is %s may not be cut off',
  async (kind) => {
    const [problem] = await problemsOfCutOff(kind, ['fuzz-0']);
    expect(problem).toStartWith('one: it received a body without its end');
  },
);
