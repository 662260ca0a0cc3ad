/** A short form of the trial `fuzz`: random requests on raw sockets, which must all be answered well. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomFrom } from '../../test/support/random.ts';
import { listen, type SocketService } from '../../test/support/socket.ts';
import { startFaultyProxy } from './fuzz/faulty-proxy.ts';
import { fuzz } from './fuzz/fuzzer.ts';
import { prepare } from './fuzz/known.ts';
import type { Known } from './fuzz/requests.ts';
import { Malformed, readResponse } from './fuzz/responses.ts';

const REQUESTS = 600;
const CONNECTIONS = 16;

/** Another one each time. It repeats a failure: `FUZZ_SEED=7`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0]);

let service: SocketService;
let known: Known;
beforeAll(async () => {
  service = await listen();
  known = await prepare(service.origin, service.key);
});
afterAll(() => service.close());

const fuzzPort = (port: string | number, requests: number, keeps: boolean) =>
  fuzz({
    ...{ port: Number(port), known, connections: CONNECTIONS },
    ...{ random: randomFrom(SEED), requests, keeps },
  });

test(`${REQUESTS} random requests are answered as HTTP and the document allow (FUZZ_SEED=${SEED})`, async () => {
  const { problems, responses } = await fuzzPort(new URL(service.origin).port, REQUESTS, true);
  expect(problems).toEqual([]);
  const failed = service.observed.filter(({ kind }) => kind === 'request_failed');
  expect(failed).toEqual([]);
  for (const status of [200, 201, 400, 404] as const)
    expect(responses.get(status)).toBeGreaterThan(5);
});

test('the control: a 500 and a cut connection of a proxy are failures, in short lines without keys', async () => {
  const proxy = await startFaultyProxy(Number(new URL(service.origin).port), 10);
  const { problems } = await fuzzPort(proxy.port, REQUESTS / 3, false);
  proxy.close();
  for (const fault of ['the status is 500', 'got no response: the connection is closed'])
    expect(problems.filter((problem) => problem.includes(fault)).length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThanOrEqual(proxy.spoiled());
  for (const problem of problems) {
    expect(problem.length).toBeLessThanOrEqual(200);
    expect(known.keys.some((key) => problem.includes(key))).toBeFalse();
  }
});

const read = (text: string, isHead = false, isClosed = false) =>
  readResponse(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'), isHead, isClosed);

test.each([
  ['with a length', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nabHTTP', 'ab', 4],
  ['in chunks', 'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nab\n1\nc\n0\n\nHTTP', 'abc', 4],
  ['without content', 'HTTP/1.1 204 No Content\n\nHTTP', '', 4],
  [
    'after an interim response',
    'HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nContent-Length: 1\n\na',
    'a',
    0,
  ],
])('a response %s is read to its end', (_what, text, body, left) => {
  const { response, length = 0 } = read(text) ?? {};
  expect(response?.body.toString()).toBe(body);
  expect(Buffer.from(text.replaceAll('\n', '\r\n')).length - length).toBe(left);
});

test('a response to HEAD has no body, whatever its length says', () => {
  expect(read('HTTP/1.1 200 OK\nContent-Length: 5\n\n', true)?.response.body.length).toBe(0);
});

test('a response that ends with its connection is read when the connection is closed', () => {
  const text = 'HTTP/1.1 400 Bad Request\nConnection: close\n\nab';
  expect(read(text)).toBeUndefined();
  expect(read(text, false, true)?.response.body.toString()).toBe('ab');
});

test.each([
  ['a status line without a status', 'HTTP/1.1 OK\n\n'],
  ['another version', 'HTTP/1.0 200 OK\nContent-Length: 0\n\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\nContent-Length 0\n\n'],
  ['a header with a zero byte', 'HTTP/1.1 200 OK\nA: b\0c\nContent-Length: 0\n\n'],
  ['two lengths', 'HTTP/1.1 200 OK\nContent-Length: 0\nContent-Length: 0\n\n'],
  [
    'a length and a coding',
    'HTTP/1.1 200 OK\nContent-Length: 0\nTransfer-Encoding: chunked\n\n0\n\n',
  ],
  ['a length that is no number', 'HTTP/1.1 200 OK\nContent-Length: x\n\n'],
  [
    'a chunk that is longer than its size',
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nab\n0\n\n',
  ],
])('%s is malformed', (_what, text) => {
  expect(() => read(text)).toThrow(Malformed);
});

test('a body that is shorter than its length is malformed when the connection is closed', () => {
  const text = 'HTTP/1.1 200 OK\nContent-Length: 5\n\nab';
  expect(read(text)).toBeUndefined();
  expect(() => read(text, false, true)).toThrow(Malformed);
});
