/** Requests that come in crowds are answered together at the end of a turn: each gets its own answer, and none an old one. */
import { afterEach, describe, expect, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import { batchRequests } from '../../../src/server/request-batching.ts';
import { listen, type SocketService } from '../../support/socket.ts';

const CROWD = 16;
const CROWD_MS = 10;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a few requests in a turn', () => {
  test('are answered as they come', async () => {
    const answer = batchRequests((request: number) => request * 2, {
      inSnapshot: fail,
      readsSynchronously: true,
    });
    for (const _turn of range(5)) {
      for (const request of range(CROWD - 1)) expect(answer(request)).toBe(request * 2);
      await nextTurn();
    }
  });
});

describe('a crowd', () => {
  /** Sends one request a turn and tells for each whether it was answered as it came. */
  async function answeredAtOnce(
    arrivals: readonly number[],
    clock = { ms: 0 },
    readsSynchronously = true,
  ) {
    const answer = batchRequests(
      (request: number) => request,
      { inSnapshot: (work) => work(), readsSynchronously },
      () => clock.ms,
    );
    const seen: boolean[] = [];
    for (const arrived of arrivals) {
      const answers = range(arrived).map(answer);
      seen.push(typeof answers[0] === 'number');
      await Promise.all(answers);
      await nextTurn();
    }
    return { answer, seen };
  }

  test('begins after two turns in a row that bring sixteen or more', async () => {
    expect((await answeredAtOnce([CROWD, CROWD, 1])).seen).toEqual([true, true, false]);
    expect((await answeredAtOnce([CROWD - 1, CROWD - 1, 1])).seen).toEqual([true, true, true]);
  });

  test('does not begin after one such turn, however often there is one', async () => {
    const arrivals = [40, 1, 40, 10, CROWD, CROWD - 1, 40, 1];
    expect((await answeredAtOnce(arrivals)).seen).toEqual(arrivals.map(() => true));
  });

  test('begins after one turn that brings eight, where reads have to be waited for in any case', async () => {
    const seen = async (arrivals: readonly number[]) =>
      (await answeredAtOnce(arrivals, { ms: 0 }, false)).seen;
    expect(await seen([8, 1])).toEqual([true, false]);
    expect(await seen([7, 7, 1])).toEqual([true, true, true]);
  });

  test('lasts until ten milliseconds have passed without such a turn, and no longer on an idle server', async () => {
    const clock = { ms: 0 };
    const { answer } = await answeredAtOnce([CROWD, CROWD], clock);
    clock.ms = CROWD_MS - 1;
    expect(await Promise.all(range(CROWD).map(answer))).toEqual(range(CROWD));
    await nextTurn();
    clock.ms = 2 * CROWD_MS - 2;
    expect(answer(1)).toBeInstanceOf(Promise);
    clock.ms = 2 * CROWD_MS - 1;
    expect(answer(1)).toBe(1);
  });
});

describe('in the turn after a crowd', () => {
  test('all that arrives is answered at its end, in its order, before any answer is let go', async () => {
    const events: string[] = [];
    const answer = await afterCrowd((request: number) => {
      events.push(`made ${request}`);
      return request * 2;
    });
    const answers = range(5).map(async (request) => {
      const response = await answer(request);
      events.push(`let go ${request}`);
      return response;
    });
    events.push('arrived');
    expect(await Promise.all(answers)).toEqual(range(5).map((request) => request * 2));
    expect(events).toEqual([
      'arrived',
      ...range(5).map((request) => `made ${request}`),
      ...range(5).map((request) => `let go ${request}`),
    ]);
  });

  test('each of very many is answered', async () => {
    const answer = await afterCrowd((request: number) => request);
    expect(await Promise.all(range(1000).map(answer))).toEqual(range(1000));
  });

  test('one that fails does not touch the others', async () => {
    const answer = await afterCrowd((request: number) => {
      if (request === 1) throw new Error('one');
      return request === 2 ? Promise.reject(new Error('two')) : request;
    });
    const results = await Promise.allSettled(range(4).map(answer));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });

  test('they are answered together, at most 64, and one alone by itself', async () => {
    const sizes: number[] = [];
    let answered = 0;
    const answer = await afterCrowd(
      () => {
        answered += 1;
      },
      (work) => {
        answered = 0;
        work();
        sizes.push(answered);
      },
    );
    await Promise.all(range(150).map(answer));
    expect(sizes).toEqual([64, 64, 22]);
    await answer(1);
    expect(sizes).toHaveLength(3);
  });

  test('it is told when each arrived', async () => {
    const arrivals: number[] = [];
    const answer = await afterCrowd((_request: number, arrivedMs: number) => {
      arrivals.push(arrivedMs);
    });
    const before = monotonicMs();
    const answers = range(3).map(answer);
    const after = monotonicMs();
    await Promise.all(answers);
    expect(arrivals).toHaveLength(3);
    for (const arrivedMs of arrivals) {
      expect(arrivedMs).toBeGreaterThanOrEqual(before);
      expect(arrivedMs).toBeLessThanOrEqual(after);
    }
  });
});

describe('a crowd on real connections', () => {
  let service: SocketService;
  afterEach(() => service.close());

  const ask = (path: string, init: RequestInit = {}, key = service.key) =>
    fetch(`${service.origin}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    });

  test('gets the animals, failures and ids that each asked for', async () => {
    service = await listen();
    const created = await Promise.all(
      range(40).map(async (index) => {
        const response = await ask('/v1/pets', {
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
      await Promise.all(
        created.flatMap(({ id, name }) => [
          (async () => {
            const headers = { 'X-Request-Id': `ask-${round}-${id}` };
            const response = await ask(`/v1/pets/${id}`, { headers });
            expect(await response.json()).toMatchObject({ id, name });
            expect(response.headers.get('x-request-id')).toBe(`ask-${round}-${id}`);
          })(),
          (async () => expect((await ask(`/v1/pets/x${id}`)).status).toBe(404))(),
          (async () => expect((await ask('/v1/pets', {}, 'nonsense')).status).toBe(401))(),
        ]),
      );
    }
  });

  test('is read together', async () => {
    let bursts = 0;
    service = await listen({}, (database) => ({
      ...database,
      inSnapshot(work) {
        bursts += 1;
        database.inSnapshot(work);
      },
    }));
    const clients = range(40).map(async () => {
      for (const _request of range(10)) await ask('/v1/pets');
    });
    await Promise.all(clients);
    expect(bursts).toBeGreaterThan(0);
  });

  test('of wrong keys is limited by its address', async () => {
    service = await listen({ rateLimit: '50/60s' });
    const statuses: number[] = [];
    for (const _round of range(5)) {
      const answers = range(20).map(async () => (await ask('/v1/pets', {}, 'nonsense')).status);
      statuses.push(...(await Promise.all(answers)));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
  });
});

/** Answers as after a turn that brought a crowd. */
async function afterCrowd<Response>(
  answer: (request: number, arrivedMs: number) => Response | Promise<Response>,
  inSnapshot: (work: () => void) => void = (work) => work(),
) {
  let isCrowd = true;
  const inBurst = batchRequests<number, Response | undefined>(
    (request, arrivedMs) => (isCrowd ? undefined : answer(request, arrivedMs)),
    { inSnapshot, readsSynchronously: true },
  );
  for (const _turn of range(2)) {
    for (const request of range(CROWD)) inBurst(request);
    await nextTurn();
  }
  isCrowd = false;
  return inBurst;
}

function fail(): never {
  throw new Error('Nothing is to be done together here.');
}
