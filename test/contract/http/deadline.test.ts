import { expect, spyOn, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import { DeadlineExceeded, enforceDeadline } from '../../../src/http/middleware/deadline.ts';
import { createContext } from '../../../src/http/request/context.ts';
import { inTime } from '../in-time.ts';

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

const LATE = new DeadlineExceeded(`No response within ${TIMEOUT_MS} ms.`);

/** The response, or the reason why there is none. */
const outcomeOf = (response: Response | Promise<Response>): Promise<unknown> =>
  inTime('outcome', Promise.resolve(response)).catch((reason) => reason);

test('each request has its own deadline, and the time that it waited counts', async () => {
  const send = start();
  const late = [send(TIMEOUT_MS - 20, never()), send(TIMEOUT_MS - 15, never())];
  const later = send(0, never());
  expect(await Promise.all(late.map(outcomeOf))).toEqual([LATE, LATE]);
  expect(await Promise.race([later, Bun.sleep(20).then(() => 'pending')])).toBe('pending');
});

test('a request is late even if an earlier one has had its response', async () => {
  const send = start();
  const response = new Response();
  expect(await outcomeOf(send(TIMEOUT_MS - 20, Promise.resolve(response)))).toBe(response);
  expect(await outcomeOf(send(TIMEOUT_MS - 15, never()))).toEqual(LATE);
});

test('a request is late even if no other one is left after an earlier late one', async () => {
  const send = start();
  for (let count = 0; count < 2; count += 1)
    expect(await outcomeOf(send(TIMEOUT_MS - 15, never()))).toEqual(LATE);
});

test('a response after its deadline does not disturb the deadlines of others', async () => {
  // Time stands still, so that no pause of a busy machine makes another request late.
  using now = spyOn(performance, 'now').mockReturnValue(0);
  const send = start();
  const [first, second] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
  const late = send(TIMEOUT_MS - 20, first.promise);
  const punctual = send(TIMEOUT_MS - 200, second.promise);
  now.mockReturnValue(20);
  expect(await outcomeOf(late)).toEqual(LATE);
  const response = new Response();
  second.resolve(response);
  expect(await outcomeOf(punctual)).toBe(response);
  const alsoLate = outcomeOf(send(TIMEOUT_MS - 150, never()));
  first.resolve(new Response());
  now.mockReturnValue(200);
  expect(await alsoLate).toEqual(LATE);
});

test('a failure in time is passed on', async () => {
  const failure = new Error('of the handler');
  expect(await outcomeOf(start()(0, Promise.reject(failure)))).toBe(failure);
});

test('a response that is there at once is returned at once', () => {
  const response = new Response();
  expect(start()(TIMEOUT_MS + 1, response)).toBe(response);
});
