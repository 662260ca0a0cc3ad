/** A client that closes its connection after a request gets the refusal of a body that it still sends. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listen, statusOf } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const service = useShared(() => listen());

const CHUNK = Buffer.alloc(64 * 1024, ' ');
const CHUNKS = 32;

/** Sends a head and a body of 2 MiB bit by bit. Returns what is received until the connection closes. */
function upload(...headers: string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
    const head = ['POST /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''];
    socket.write(head.join('\r\n'));
    const sendBody = async () => {
      for (let count = 0; count < CHUNKS; count += 1) {
        await nextTurn();
        socket.write(CHUNK);
      }
    };
    sendBody();
  });
}

test.each([
  ['without a credential', () => [], 401],
  ['that is too large', () => [service.authorization], 413],
  ['of another type', () => [service.authorization, 'Content-Type: text/plain'], 415],
])('a body %s', async (_what, headers, status) => {
  const length = `Content-Length: ${CHUNKS * CHUNK.length}`;
  for (let round = 0; round < 5; round += 1)
    expect(statusOf(await upload(length, ...headers()))).toBe(status);
});
