import { expect, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import { DeadlineExceeded, enforceDeadline } from '../../../src/http/middleware/deadline.ts';
import { createContext } from '../../../src/http/request/context.ts';

const TIMEOUT_MS = 60_000;
const REQUEST = new Request('http://127.0.0.1/v1/pets');

/** A middleware, and a function that passes it a request that has waited. */
function start() {
  const middleware = enforceDeadline(TIMEOUT_MS);
  return (waitedMs: number, response: Response | Promise<Response>) => {
    const ctx = createContext(REQUEST, monotonicMs() - waitedMs, () => 'id');
    return middleware(REQUEST, ctx, () => response);
  };
}

const never = () => new Promise<Response>(() => {});

test('each request has its own deadline, and the time that it waited counts', async () => {
  const send = start();
  const late = [send(TIMEOUT_MS - 20, never()), send(TIMEOUT_MS - 15, never())];
  const later = send(0, never());
  for (const { status, ...outcome } of await Promise.allSettled(late)) {
    expect(status).toBe('rejected');
    expect(outcome).toHaveProperty('reason', new DeadlineExceeded('No response within 60000 ms.'));
  }
  expect(await Promise.race([later, Bun.sleep(20).then(() => 'pending')])).toBe('pending');
});

test('a request is late also if an earlier one has had its response', async () => {
  const send = start();
  const response = new Response();
  expect(await send(TIMEOUT_MS - 20, Promise.resolve(response))).toBe(response);
  await expect(send(TIMEOUT_MS - 15, never())).rejects.toThrow(DeadlineExceeded);
});

test('a response after its deadline does not disturb the deadlines of others', async () => {
  const send = start();
  const [first, second] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const late = send(TIMEOUT_MS - 20, first.promise);
  const inTime = send(TIMEOUT_MS - 200, second.promise);
  await expect(late).rejects.toThrow(DeadlineExceeded);
  second.resolve(new Response());
  await inTime;
  const alsoLate = Promise.resolve(send(TIMEOUT_MS - 150, never()));
  first.resolve(new Response());
  const outcome = Promise.race([alsoLate, Bun.sleep(5_000)]);
  await expect(outcome).rejects.toThrow(DeadlineExceeded);
});

test('a failure in time is passed on', async () => {
  const failure = new Error('of the handler');
  await expect(start()(0, Promise.reject(failure))).rejects.toBe(failure);
});

test('a response that is there at once is returned at once', () => {
  const response = new Response();
  expect(start()(TIMEOUT_MS + 1, response)).toBe(response);
});
