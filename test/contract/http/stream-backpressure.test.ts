/** A stream to a client that reads slowly or not at all, on a real socket. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { EventStream } from '../../../src/events/event-stream.ts';
import { until } from '../../support/process.ts';
import { STREAM_REQUEST } from '../streamed-service.ts';

/** Chunks with their numbers, so that the order shows. */
const CHUNK_BYTES = 64 * 1024;
const chunkOf = (number: number) =>
  new TextEncoder().encode(`${number}\n`.padEnd(CHUNK_BYTES, '.'));

let server: Bun.Server<undefined>;
let stream: EventStream;
let ends: string[];
let changes: string[];
let failures: unknown[];
let socket: Socket;
let received: string;

beforeEach(async () => {
  ends = [];
  changes = [];
  failures = [];
  received = '';
  const { promise: started, resolve } = Promise.withResolvers<void>();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // As in the service: otherwise the runtime prints why a stream was cut off.
    development: false,
    error(error) {
      failures.push(error);
      return new Response();
    },
    fetch(request, { timeout }) {
      timeout.call(server, request, 0);
      stream = new EventStream(STREAM_REQUEST, {
        onStart: () => resolve(),
        onBlocked: () => changes.push('blocked'),
        onDrained: () => changes.push('drained'),
        onEnd: (_stream, reason) => ends.push(reason),
      });
      return new Response(stream.body);
    },
  });
  socket = connect(server.port ?? 0, '127.0.0.1');
  socket.on('data', (bytes) => {
    received += bytes.toString();
  });
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await started;
});
afterEach(async () => {
  expect(failures).toEqual([]);
  socket.destroy();
  await server.stop(true);
});

/** Sends chunks until the client takes no more. Returns how many. */
async function fill(first = 0): Promise<number> {
  socket.pause();
  for (let number = first; ; number += 1) {
    if (!stream.isReady) return number;
    stream.send(chunkOf(number));
    // The system of the client takes what it can.
    await Bun.sleep(1);
  }
}

test('a stream says when its client takes no more, and when the client has taken everything', async () => {
  const blocked = await fill();
  expect(changes.at(-1)).toBe('blocked');
  socket.resume();
  await stream.drained();
  expect(changes.at(-1)).toBe('drained');
  const all = await fill(blocked);
  expect(changes.at(-1)).toBe('blocked');
  socket.resume();
  await stream.drained();
  // The system of a paused client may take more later: how often the stream was blocked depends on it.
  expect(changes).toEqual(changes.map((_, index) => (index % 2 === 0 ? 'blocked' : 'drained')));
  stream.end('stopping');
  await until(() => received.endsWith('\r\n0\r\n\r\n'));
  const numbers = [...received.matchAll(/(\d+)\n\.{1000}/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: all }, (_, number) => number));
});

test('a client that reads nothing for four heartbeats loses its stream', async () => {
  await fill();
  for (let beat = 0; beat < 3; beat += 1) stream.beat();
  expect(ends).toEqual([]);
  stream.beat();
  expect(ends).toEqual(['slow_reader']);
  await until(() => server.pendingRequests === 0);
});

test('heartbeats count again after the client has read', async () => {
  await fill();
  for (let beat = 0; beat < 3; beat += 1) stream.beat();
  socket.resume();
  await stream.drained();
  await fill();
  for (let beat = 0; beat < 3; beat += 1) stream.beat();
  expect(ends).toEqual([]);
});

test('the end of a stream does not wait for a client that reads nothing', async () => {
  await fill();
  stream.end('stopping');
  await until(() => server.pendingRequests === 0);
  expect(ends).toEqual(['stopping']);
  socket.resume();
  await until(() => socket.closed);
  expect(received).not.toEndWith('\r\n0\r\n\r\n');
});

test('a client that goes away while it reads nothing ends its stream', async () => {
  await fill();
  socket.destroy();
  await until(() => ends.length > 0);
  expect(ends).toEqual(['client_closed']);
  stream.end('stopping');
  expect(ends).toHaveLength(1);
  await stream.drained();
});
