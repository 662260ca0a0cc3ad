/** A read that was answered before is answered from memory, as long as nothing has changed: nobody can tell. */
import { afterEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { Database } from '../../../src/storage/database.ts';
import { Model } from '../../support/model.ts';
import { startService, type TestService, type TestServiceOptions } from '../../support/service.ts';
import { anyRequestStep } from '../../support/steps.ts';
import type { TestResponse } from '../../support/test-response.ts';

const open: TestService[] = [];
const start = async (options?: TestServiceOptions): Promise<TestService> => {
  const service = await startService(options);
  open.push(service);
  return service;
};
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

/** A service whose storage counts how often lists are read. */
async function startCounting(options: TestServiceOptions = {}) {
  const reads = { lists: 0 };
  const wrap = (database: Database): Database => ({
    ...database,
    read: {
      ...database.read,
      pets: {
        get: (id) => database.read.pets.get(id),
        inventory: () => database.read.pets.inventory(),
        list(...args) {
          reads.lists += 1;
          return database.read.pets.list(...args);
        },
      },
    },
  });
  return { service: await start({ ...options, wrap }), reads };
}

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const LIST = '/v1/pets?limit=5&status=available';
const without = ({ headers }: TestResponse, ...names: string[]) =>
  Object.fromEntries([...headers].filter(([name]) => !names.includes(name)));

test('storage is asked twice at most for what is asked often, where it can tell whether it has changed', async () => {
  const { service, reads } = await startCounting();
  await service.addPet(REX);
  const first = await service.request('GET', LIST);
  for (let time = 0; time < 5; time += 1) {
    const again = await service.request('GET', LIST);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(without(again, 'x-request-id')).toEqual(without(first, 'x-request-id'));
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  }
  expect(reads.lists).toBe(service.database.version() === undefined ? 6 : 2);
});

test('a change is seen by the next read, each time', async () => {
  const { service } = await startCounting();
  for (let count = 1; count <= 5; count += 1) {
    await service.request('POST', '/v1/pets', { body: REX });
    for (let time = 0; time < 3; time += 1) {
      expect((await service.request('GET', LIST)).json).toHaveLength(count);
    }
  }
});

test('each is counted and logged, and has an id of its own', async () => {
  const service = await start();
  for (let time = 0; time < 4; time += 1) await service.request('GET', LIST);
  const requests = service.observed.filter(({ kind }) => kind === 'request');
  expect(requests).toHaveLength(4);
  expect(requests.at(-1)).toMatchObject({ route: '/v1/pets', status: 200, keyId: 1 });
  await service.usage.flush();
  expect(await service.database.read.usage.list()).toMatchObject([
    { operationId: 'listPets', calls: 4, lastCalledAt: service.clock.now() },
  ]);
});

test('each counts against the rate limit, and tells what is left of it', async () => {
  const service = await start({ rules: { rateLimit: { quota: 4, windowSeconds: 60 } } });
  const answers = [];
  for (let time = 0; time < 5; time += 1) answers.push(await service.request('GET', LIST));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual(
    [3, 2, 1, 0, 0].map((left) => `"default";r=${left};t=60`),
  );
});

test('a key that expires gets no more of them, from that very moment', async () => {
  const service = await start();
  const { secret: key } = await service.issueKey(['pets:read'], service.clock.now() + 1_000);
  for (let time = 0; time < 3; time += 1) await service.request('GET', LIST, { key });
  service.clock.advance(999);
  expect((await service.request('GET', LIST, { key })).status).toBe(200);
  service.clock.advance(1);
  expect((await service.request('GET', LIST, { key })).status).toBe(401);
});

test('a key that is revoked gets no more of them', async () => {
  const service = await start();
  const { secret: key, key: issued } = await service.issueKey(['pets:read']);
  for (let time = 0; time < 3; time += 1) await service.request('GET', LIST, { key });
  await service.revokeKey(issued.id);
  expect((await service.request('GET', LIST, { key })).status).toBe(401);
});

test('one key never gets what was kept for another', async () => {
  const service = await start();
  const { secret: key } = await service.issueKey(['orders:read']);
  for (let time = 0; time < 3; time += 1) await service.request('GET', LIST);
  expect((await service.request('GET', LIST, { key })).status).toBe(403);
});

test('an operation that is removed answers so, whatever was kept', async () => {
  const service = await start();
  await service.addPet(REX);
  for (let time = 0; time < 3; time += 1) await service.request('GET', '/v1/pets/1');
  service.clock.set('2030-12-05T00:00:00Z');
  expect((await service.request('GET', '/v1/pets/1')).status).toBe(410);
});

test('preferences and conditions are heeded', async () => {
  const service = await start();
  let etag = '';
  for (let time = 0; time < 3; time += 1) {
    etag = (await service.request('GET', `${LIST}&x=1`)).headers.get('etag') ?? '';
  }
  const ask = (headers: Record<string, string>) =>
    service.request('GET', `${LIST}&x=1`, { headers });
  expect((await ask({ 'If-None-Match': etag })).status).toBe(304);
  expect((await ask({ Prefer: 'handling=strict' })).status).toBe(400);
  expect((await service.request('HEAD', `${LIST}&x=1`)).text).toBe('');
});

test('very many distinct requests are answered rightly, though few are kept', async () => {
  const service = await start();
  for (let id = 1; id <= 600; id += 1) await service.addPet({ ...REX, name: `animal ${id}` });
  for (let time = 0; time < 3; time += 1) {
    for (let id = 1; id <= 600; id += 1) {
      const { json } = await service.request('GET', `/v1/pets?id=${id}`);
      expect(json).toEqual([{ id, ...REX, name: `animal ${id}` }]);
    }
  }
}, 30_000);

test('random requests get the same answers with and without it', async () => {
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { Prefer: 'handling=strict' },
    { 'If-None-Match': '*' },
    { 'X-Request-Id': 'mine' },
  );
  const step = fc.record({
    request: anyRequestStep,
    headers,
    times: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const keeping = await start();
      const asking = await start({
        wrap: (database) => ({ ...database, version: () => undefined }),
      });
      const model = new Model(keeping.clock.now(), 30 * 60_000);
      for (const { request, headers, times } of steps) {
        request.expect(model);
        for (let time = 0; time < times; time += 1) {
          const [a, b] = await Promise.all(
            [keeping, asking].map((service) =>
              service.request(request.method, `/v1${request.path}`, {
                headers: { 'Content-Type': 'application/json', ...headers },
                ...(request.body === undefined ? {} : { body: renderExactJson(request.body) }),
              }),
            ),
          );
          if (a === undefined || b === undefined) throw new Error('There are two services.');
          expect([a.status, a.text]).toEqual([b.status, b.text]);
          expect(without(a, 'x-request-id')).toEqual(without(b, 'x-request-id'));
        }
      }
      for (const service of open.splice(0)) await service.close();
    }),
    { numRuns: 100 },
  );
}, 60_000);
