/** Writes end the cached responses that they change, and no others. */
import { expect, spyOn, test } from 'bun:test';
import { CACHE_HIT } from '../../../src/http/request/cache.ts';
import { expireOrders } from '../../../src/server/background-jobs.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const LIST = '/v1/pets?limit=5&status=available';

/** Whether the commits of background jobs keep the cache. */
const keepsCache = (): boolean =>
  !service.database.versionsKeysOnly && process.platform === 'linux';

test('that stores usage ends the cached responses with usage, and no others', async () => {
  using lists = spyOn(service.database.read.pets, 'list');
  await service.addPet(REX);
  const list = () => service.request('GET', LIST);
  for (let time = 0; time < 3; time += 1) await list();
  lists.mockClear();
  const { json: earlier } = await service.request('GET', '/v1/usage');
  for (let time = 0; time < 2; time += 1) await service.request('GET', '/v1/usage');
  for (let time = 0; time < 2; time += 1) await service.request('GET', '/v1/api-keys');
  for (let time = 0; time < 3; time += 1) {
    await service.usage.flush();
    expect((await list()).json).toHaveLength(1);
  }
  const { json: later } = await service.request('GET', '/v1/usage');
  expect(later).not.toEqual(earlier);
  const { json: keys } = await service.request('GET', '/v1/api-keys');
  expect(keys).toMatchObject([{ lastUsedAt: new Date(service.clock.now()).toISOString() }]);
  if (keepsCache()) expect(lists).not.toHaveBeenCalled();
});

test('that expires an order shows in the next response', async () => {
  using lists = spyOn(service.database.read.pets, 'list');
  await service.addPet(REX);
  await service.request('PUT', '/v1/categories/1', { body: { name: 'Dogs' } });
  await service.request('POST', '/v1/store/orders', { body: { petId: 1 } });
  const read = async () => {
    const paths = ['orders', 'inventory', 'inventory?categoryId=1'].map((path) => `store/${path}`);
    return Promise.all(
      ['pets', 'categories', ...paths].map(
        async (path) => (await service.request('GET', `/v1/${path}`)).json,
      ),
    );
  };
  for (let time = 0; time < 3; time += 1) await read();
  service.clock.advance(30 * 60_000);
  await expireOrders({ ...service, observe: () => {} });
  const counts = { available: 1, pending: 0 };
  expect(await read()).toMatchObject([
    [{ status: 'available' }],
    [{ counts }],
    [{ status: 'expired' }],
    counts,
    counts,
  ]);
  expect(lists.mock.calls.length).toBeGreaterThan(2);
});

test('does not keep the key of a request that was revoked before it', async () => {
  const { secret: key, key: issued } = await service.issueKey(['pets:read']);
  for (let time = 0; time < 3; time += 1) await service.request('GET', LIST, { key });
  await Promise.all([service.revokeKey(issued.id), service.usage.flush()]);
  expect((await service.request('GET', LIST, { key })).status).toBe(401);
});

test('a change of the catalogue keeps the verified keys, and a change of a key does not', async () => {
  const { secret: key, key: issued } = await service.issueKey(['pets:read', 'pets:write']);
  const headers = { 'Idempotency-Key': 'once' };
  const credentialUses = () =>
    service.observed.flatMap((one) => (one.kind === 'request' ? [one.credentialCache] : []));
  await service.request('GET', LIST, { key });
  service.observed.length = 0;
  await service.request('POST', '/v1/pets', { key, body: REX });
  await service.request('POST', '/v1/pets', { key, headers, body: REX });
  await service.request('PATCH', '/v1/pets/1', { key, body: { status: 'sold' } });
  await service.request('DELETE', '/v1/pets/2', { key });
  expect((await service.request('GET', '/v1/pets', { key })).json).toMatchObject([
    { id: 1, status: 'sold' },
  ]);
  if (keepsCache()) expect(credentialUses()).toEqual(Array(5).fill(CACHE_HIT));
  await service.request('DELETE', `/v1/api-keys/${issued.id}`);
  expect((await service.request('GET', LIST, { key })).status).toBe(401);
});
