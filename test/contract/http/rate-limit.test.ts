/** Rate limits, off by default: each key has a quota of requests. Failed credentials have none. */
import { afterEach, describe, expect, test } from 'bun:test';
import { countPets } from '../../support/catalogue.ts';
import { startService, type TestService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';

let service: TestService;
afterEach(() => service.close());

const limited = async (quota: number, windowSeconds: number) => {
  service = await startService({ options: { rateLimit: { quota, windowSeconds } } });
};
const list = (key: string | null = service.key) => service.request('GET', '/v1/pets', { key });
const remaining = ({ headers }: TestResponse) => headers.get('ratelimit');

async function times(count: number, send: () => Promise<TestResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) statuses.push((await send()).status);
  return statuses;
}

function expectRefused(response: TestResponse, seconds: string): void {
  expect(response.json).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(response.headers.get('retry-after')).toBe(seconds);
}

test('by default there is no limit, and responses have no RateLimit headers', async () => {
  service = await startService();
  for (const key of [service.key, 'wrong'])
    for (let sent = 0; sent < 200; sent += 1) {
      const response = await list(key);
      expect(response.status).toBe(key === 'wrong' ? 401 : 200);
      expect(remaining(response)).toBeNull();
      expect(response.headers.get('ratelimit-policy')).toBeNull();
    }
});

describe('a key', () => {
  test('gets its quota and the remaining requests in every response', async () => {
    await limited(6, 3_600);
    // The third response for a path is from the cache.
    const list = Array<string>(3).fill('/v1/pets');
    const paths = [...list, '/v1/pets/999', '/v1/nothing', '/v1/pets?limit=0'];
    for (const [sent, path] of paths.entries()) {
      const response = await service.request('GET', path);
      expect(response.headers.get('ratelimit-policy')).toBe('"default";q=6;w=3600');
      expect(remaining(response)).toBe(`"default";r=${5 - sent};t=3600`);
    }
  });

  test('gets 429 with Retry-After beyond its quota, and nothing is stored', async () => {
    await limited(2, 60);
    await times(2, list);
    service.clock.advance(17_500);
    const before = await countPets(service.database);
    const body = { name: 'Rex', categoryId: 1 };
    const response = await service.request('POST', '/v1/pets', { body });
    expectRefused(response, '43');
    expect(remaining(response)).toBe('"default";r=0;t=43');
    expect(response.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
    expect(await countPets(service.database)).toBe(before);
  });

  test('has its whole quota again in the millisecond in which the window ends, after rejected requests, too', async () => {
    await limited(2, 60);
    await times(2, list);
    service.clock.advance(59_999);
    expectRefused(await list(), '1');
    service.clock.advance(1);
    expect(remaining(await list())).toBe('"default";r=1;t=60');
  });

  test('has a window that does not depend on the time of day', async () => {
    await limited(1, 60);
    await list();
    const now = service.clock.now();
    for (const hours of [-2, 2, -24]) {
      service.clock.set(now + hours * 3_600_000);
      expectRefused(await list(), '60');
    }
    service.clock.advance(60_000);
    expect((await list()).status).toBe(200);
  });

  test('has a window that begins with its first request', async () => {
    await limited(3, 60);
    service.clock.advance(45_000);
    await list();
    service.clock.advance(30_000);
    expect(remaining(await list())).toBe('"default";r=1;t=30');
  });

  test('with 403 uses its own quota', async () => {
    await limited(2, 60);
    const { secret: narrow } = await service.issueKey(['orders:read']);
    expect(await times(3, () => list(narrow))).toEqual([403, 403, 429]);
    expect((await list()).status).toBe(200);
  });
});

test.each([
  ['wrong', 'wrong'],
  ['missing', null],
])(
  'failed credentials that are %s are not limited, and hinder no valid key',
  async (_what, key) => {
    await limited(2, 60);
    expect(await times(50, () => list(key))).toEqual(Array<number>(50).fill(401));
    expect(remaining(await list(key))).toBeNull();
    expect(remaining(await list())).toBe('"default";r=1;t=60');
  },
);

test('paths outside /v1 have no limit', async () => {
  await limited(1, 60);
  await times(2, () => list('wrong'));
  const open = () => service.request('GET', '/livez', { key: null });
  expect(await times(5, open)).toEqual([200, 200, 200, 200, 200]);
  expect(remaining(await open())).toBeNull();
});
