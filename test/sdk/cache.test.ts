/** Reads with a cache of the caller, against a real service. */
import { expect, test } from 'bun:test';
import { AnimalStore, type CachedResponse, type ResponseCache } from '../../sdk/src/index.ts';
import { listen } from '../support/socket.ts';
import { useShared } from '../support/use-each.ts';

const service = useShared(() => listen());

/** A client with a cache, and the statuses of the responses that it got. */
function connect(cache: ResponseCache) {
  const statuses: (number | undefined)[] = [];
  const store = new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.key,
    cache,
    onResponse: ({ response }) => statuses.push(response?.status),
  });
  return { store, statuses };
}

test('a page that is still the same comes from the cache, with its link', async () => {
  const cache = new Map<string, CachedResponse>();
  const { store, statuses } = connect(cache);
  for (const name of ['Ada', 'Bob', 'Eve'])
    await store.pets.create({ name, categoryId: 2n ** 60n });
  statuses.length = 0;
  const list = store.pets.list({ limit: 2 });
  const first = await list.toArray();
  expect(await list.toArray()).toEqual(first);
  expect(first.map(({ name }) => name).join()).toBe('Ada,Bob,Eve');
  expect(statuses).toEqual([200, 200, 304, 304]);
  await store.pets.update(first[0]?.id ?? 0, { name: 'Zoe' });
  statuses.length = 0;
  expect((await list.toArray())[0]?.name).toBe('Zoe');
  expect(statuses).toEqual([200, 304]);
});

test('a cache keeps text, and may be slow', async () => {
  const stored = new Map<string, string>();
  const cache = {
    get: async (url: string) => JSON.parse(stored.get(url) ?? 'null') as CachedResponse | null,
    set: async (url: string, response: CachedResponse) =>
      void stored.set(url, JSON.stringify(response)),
  };
  const { store, statuses } = connect(cache);
  const before = await store.categories.list().toArray();
  expect(await store.categories.list().toArray()).toEqual(before);
  expect(statuses).toEqual([200, 304]);
  expect([...stored.values()].join()).not.toContain(service.key);
});

test('another key gets nothing from the cache that the service would not send', async () => {
  const cache = new Map<string, CachedResponse>();
  const { store } = connect(cache);
  await store.usage.get();
  const { key } = await store.apiKeys.create({ name: 'shop' });
  const own = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: key, cache });
  await expect(own.usage.get()).rejects.toMatchObject({ code: 'scope_missing' });
  await store.apiKeys.current();
  expect((await own.apiKeys.current()).name).toBe('shop');
});

test('304 to a tag of the caller is about no stored response', async () => {
  const { store } = connect(new Map());
  // Nor is a change.
  for (const name of ['Dogs', 'Cats']) {
    await store.categories.put(1, { name });
    await store.categories.get(1);
  }
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1 });
  await store.pets.get(id);
  const { response } = await store.pets.update(id, { name: 'Max' }).withResponse();
  const call = store.pets.get(id, { headers: { 'If-None-Match': response.etag ?? '' } });
  await expect(call).rejects.toMatchObject({ status: 304 });
});

test('only reads are kept', async () => {
  const cache = new Map<string, CachedResponse>();
  const { store } = connect(cache);
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1 });
  await store.pets.update(id, { name: 'Max' });
  await store.pets.delete(id);
  expect([...cache]).toEqual([]);
});
