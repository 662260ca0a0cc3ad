/** Under load, the requests of a turn of the event loop are handled together at its end. */
import { afterEach, describe, expect, test } from 'bun:test';
import { batchRequests } from '../../../src/server/request-batching.ts';
import { listen, type SocketService } from '../../support/socket.ts';
import { inTime } from '../in-time.ts';

const BUSY = 16;
const IDLE_MS = 10;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const allOf = <T>(responses: readonly (T | Promise<T>)[]): Promise<T[]> =>
  inTime('responses', Promise.all(responses));

test('a few requests in a turn are handled immediately', async () => {
  const reads = { inSnapshot: fail, readsSynchronously: true };
  const handle = batchRequests((request: number) => request * 2, reads);
  for (const _turn of range(5)) {
    for (const request of range(BUSY - 1)) expect(handle(request)).toBe(request * 2);
    await nextTurn();
  }
});

describe('batching', () => {
  /** Sends numbers of requests, one in each turn. @returns whether each turn was handled immediately */
  async function sendTurns(
    arrivals: readonly number[],
    clock = { ms: 0 },
    readsSynchronously = true,
  ) {
    const handle = batchRequests(
      (request: number) => request,
      { inSnapshot: (work) => work(), readsSynchronously },
      () => clock.ms,
    );
    const synchronous: boolean[] = [];
    for (const count of arrivals) {
      const responses = range(count).map(handle);
      synchronous.push(typeof responses[0] === 'number');
      await allOf(responses);
      await nextTurn();
    }
    return { handle, synchronous };
  }

  test('starts after two turns in a row with sixteen or more requests', async () => {
    expect((await sendTurns([BUSY, BUSY, 1])).synchronous).toEqual([true, true, false]);
    expect((await sendTurns([BUSY - 1, BUSY - 1, 1])).synchronous).toEqual([true, true, true]);
  });

  test('does not start after single turns with so many', async () => {
    const arrivals = [40, 1, 40, 10, BUSY, BUSY - 1, 40, 1];
    expect((await sendTurns(arrivals)).synchronous).toEqual(arrivals.map(() => true));
  });

  test('starts after one turn with eight requests if reads are not synchronous', async () => {
    const resultOf = async (arrivals: readonly number[]) =>
      (await sendTurns(arrivals, { ms: 0 }, false)).synchronous;
    expect(await resultOf([8, 1])).toEqual([true, false]);
    expect(await resultOf([7, 7, 1])).toEqual([true, true, true]);
  });

  test('ends ten milliseconds after the last such turn', async () => {
    const clock = { ms: 0 };
    const { handle } = await sendTurns([BUSY, BUSY], clock);
    clock.ms = IDLE_MS - 1;
    expect(await allOf(range(BUSY).map(handle))).toEqual(range(BUSY));
    await nextTurn();
    clock.ms = 2 * IDLE_MS - 2;
    // After a turn that was not busy, one busy turn is enough.
    for (const count of [1, BUSY]) {
      const responses = range(count).map(handle);
      expect(responses[0]).toBeInstanceOf(Promise);
      await allOf(responses);
      await nextTurn();
    }
    clock.ms = 3 * IDLE_MS - 3;
    expect(handle(1)).toBeInstanceOf(Promise);
    clock.ms = 3 * IDLE_MS - 2;
    expect(handle(1)).toBe(1);
  });
});

describe('a turn while batching', () => {
  test('handles all requests in order at its end, before the first response is sent', async () => {
    const events: string[] = [];
    const handle = await startBatching((request: number) => {
      events.push(`handled ${request}`);
      return request * 2;
    });
    const responses = range(5).map(async (request) => {
      const response = await handle(request);
      events.push(`sent ${request}`);
      return response;
    });
    events.push('arrived');
    expect(await allOf(responses)).toEqual(range(5).map((request) => request * 2));
    expect(events).toEqual([
      'arrived',
      ...range(5).map((request) => `handled ${request}`),
      ...range(5).map((request) => `sent ${request}`),
    ]);
  });

  test('has failures that do not affect other requests', async () => {
    const handle = await startBatching((request: number) => {
      if (request === 1) throw new Error('one');
      return request === 2 ? Promise.reject(new Error('two')) : request;
    });
    const results = await inTime('results', Promise.allSettled(range(4).map(handle)));
    const isRejected = results.map(({ status }) => status === 'rejected');
    expect(isRejected).toEqual([false, true, true, false]);
  });

  test('handles at most 64 requests in a snapshot, and a single one without', async () => {
    const sizes: number[] = [];
    let handled = 0;
    const handle = await startBatching(
      () => {
        handled += 1;
      },
      (work) => {
        handled = 0;
        work();
        sizes.push(handled);
      },
    );
    await allOf(range(150).map(handle));
    expect(sizes).toEqual([64, 64, 22]);
    await allOf([handle(1)]);
    expect(sizes).toHaveLength(3);
  });

  test('passes the time of arrival of each request', async () => {
    const clock = { ms: 0 };
    const handle = await startBatching((_request, arrivedMs) => arrivedMs, undefined, clock);
    const responses = range(3).map((ms) => {
      clock.ms = ms;
      return handle(ms);
    });
    expect(await allOf(responses)).toEqual(range(3));
  });
});

describe('many requests on real connections', () => {
  let service: SocketService;
  afterEach(() => service.close());

  const send = (path: string, init: RequestInit = {}, key = service.key) =>
    fetch(`${service.origin}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    });

  test('get the animals, errors and ids of each request', async () => {
    service = await listen();
    const created = await allOf(
      range(40).map(async (index) => {
        const response = await send('/v1/pets', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: `Animal ${index}`, categoryId: index }),
        });
        expect(response.status).toBe(201);
        return (await response.json()) as { id: number; name: string };
      }),
    );
    expect(new Set(created.map(({ id }) => id)).size).toBe(40);
    for (const round of range(5)) {
      await allOf(
        created.flatMap(({ id, name }) => [
          (async () => {
            const headers = { 'X-Request-Id': `request-${round}-${id}` };
            const response = await send(`/v1/pets/${id}`, { headers });
            expect(await response.json()).toMatchObject({ id, name });
            expect(response.headers.get('x-request-id')).toBe(`request-${round}-${id}`);
          })(),
          (async () => expect((await send(`/v1/pets/x${id}`)).status).toBe(404))(),
          (async () => expect((await send('/v1/pets', {}, 'nonsense')).status).toBe(401))(),
        ]),
      );
    }
  });

  test('share snapshots', async () => {
    let snapshots = 0;
    service = await listen({}, (database) => ({
      ...database,
      inSnapshot(work) {
        snapshots += 1;
        database.inSnapshot(work);
      },
    }));
    // Batching starts when two turns in a row are busy, sooner or later.
    const clients = range(40).map(async () => {
      for (let round = 0; round < 200 && snapshots === 0; round += 1)
        expect((await send('/v1/pets')).status).toBe(200);
    });
    await allOf(clients);
    expect(snapshots).toBeGreaterThan(0);
  });
});

/** A handler for which batching has started. */
async function startBatching<Response>(
  handle: (request: number, arrivedMs: number) => Response | Promise<Response>,
  inSnapshot: (work: () => void) => void = (work) => work(),
  clock = { ms: 0 },
) {
  let isStarting = true;
  const batched = batchRequests<number, Response | undefined>(
    (request, arrivedMs) => (isStarting ? undefined : handle(request, arrivedMs)),
    { inSnapshot, readsSynchronously: true },
    () => clock.ms,
  );
  for (const _turn of range(2)) {
    for (const request of range(BUSY)) batched(request);
    await nextTurn();
  }
  isStarting = false;
  return batched;
}

function fail(): never {
  throw new Error('There must be no snapshot here.');
}
