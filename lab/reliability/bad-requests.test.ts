/** Bad requests, and those that are just good, get the answers of the corpus. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { listen, type SocketService } from '../../test/support/socket.ts';
import { bytesOf } from './corpus/parse.ts';
import { isExpected, REQUESTS, sendCorpus } from './corpus/requests.ts';
import { startFaultyProxy } from './fuzz/faulty-proxy.ts';
import { prepare } from './fuzz/known.ts';

let service: SocketService;
beforeAll(async () => {
  service = await listen();
});
afterAll(() => service.close());

test(`${REQUESTS.length} bad and just good requests get their answers`, async () => {
  const known = await prepare(service.origin, service.key);
  const port = Number(new URL(service.origin).port);
  expect(await sendCorpus(port, known)).toEqual([]);
  expect(service.observed.filter(({ kind }) => kind === 'request_failed')).toEqual([]);
});

test('the control: answers that a proxy spoils are found', async () => {
  const known = await prepare(service.origin, service.key);
  const proxy = await startFaultyProxy(Number(new URL(service.origin).port), 20);
  const problems = await sendCorpus(proxy.port, known, REQUESTS.slice(0, 60));
  proxy.close();
  expect(problems.some((problem) => problem.endsWith(': 500 (empty)'))).toBeTrue();
  expect(problems.some((problem) => problem.endsWith(': (closed)'))).toBeTrue();
});

test.each([
  ['400 invalid_json: x', '400 invalid_json', true],
  ['400 invalid_json: x', '400 validation_failed', false],
  ['500 invalid_json: x', '400 invalid_json', false],
  ['200 [{"id":1}]', '200 []', false],
  ['200 []', '200', true],
  ['(closed)', '400 (empty)', false],
])('the answer %j to a case that expects %j is good: %p', (answer, expected, isGood) => {
  expect(isExpected(answer, expected)).toBe(isGood);
});

test('the brackets of the corpus stand for bytes, repetitions and values', () => {
  const bytes = bytesOf('a‹ff 00›‹bc*2›‹crlf›‹key›', { key: 'k' });
  expect(bytes).toEqual(Buffer.from('a\xff\0bcbc\r\nk', 'latin1'));
  expect(() => bytesOf('‹other›')).toThrow('‹other› is not known');
});
