/** The response cache returns the same responses as the storage. */
import { expect, spyOn, test } from 'bun:test';
import { importPets } from '../../support/catalogue.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const LIST = '/v1/pets?limit=5&status=available';
const without = ({ headers }: TestResponse, ...names: string[]) =>
  Object.fromEntries([...headers].filter(([name]) => !names.includes(name)));

test('a repeated request reads the storage at most twice, if the storage has a version of all data', async () => {
  using lists = spyOn(service.database.read.pets, 'list');
  await service.addPet(REX);
  const first = await service.request('GET', LIST);
  for (let time = 0; time < 5; time += 1) {
    const id = `again-${time}`;
    const again = await service.request('GET', LIST, { headers: { 'X-Request-Id': id } });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(without(again, 'x-request-id')).toEqual(without(first, 'x-request-id'));
    expect(again.headers.get('x-request-id')).toBe(id);
  }
  expect(lists).toHaveBeenCalledTimes(service.database.versionsKeysOnly ? 6 : 2);
});

test('strict requests are cached, apart from others', async () => {
  using lists = spyOn(service.database.read.pets, 'list');
  await service.addPet(REX);
  const strict = (path: string) =>
    service.request('GET', path, { headers: { Prefer: 'handling=strict' } });
  for (let time = 0; time < 4; time += 1) {
    expect((await service.request('GET', LIST)).headers.has('preference-applied')).toBe(false);
    const { status, headers } = await strict(LIST);
    expect([status, headers.get('preference-applied')]).toEqual([200, 'handling=strict']);
    expect((await strict(`${LIST}&x=1`)).status).toBe(400);
    expect((await service.request('GET', `${LIST}&x=1`)).status).toBe(200);
  }
  expect(lists).toHaveBeenCalledTimes(service.database.versionsKeysOnly ? 12 : 6);
});

test('the next read returns every change', async () => {
  for (let count = 1; count <= 5; count += 1) {
    await service.request('POST', '/v1/pets', { body: REX });
    for (let time = 0; time < 3; time += 1) {
      expect((await service.request('GET', LIST)).json).toHaveLength(count);
    }
  }
});

test('a key never gets the cached response of another', async () => {
  const { secret: key } = await service.issueKey(['orders:read']);
  for (let time = 0; time < 3; time += 1) await service.request('GET', LIST);
  expect((await service.request('GET', LIST, { key })).status).toBe(403);
});

test('preferences and conditions are applied', async () => {
  let etag = '';
  for (let time = 0; time < 3; time += 1) {
    etag = (await service.request('GET', `${LIST}&x=1`)).headers.get('etag') ?? '';
  }
  const list = (headers: Record<string, string>) =>
    service.request('GET', `${LIST}&x=1`, { headers });
  expect((await list({ 'If-None-Match': etag })).status).toBe(304);
  expect((await list({ 'If-Match': '"other"' })).status).toBe(412);
  expect((await list({ Prefer: 'handling=strict' })).status).toBe(400);
  expect((await service.request('HEAD', `${LIST}&x=1`)).text).toBe('');
});

test('more distinct requests than the cache has room for get correct responses', async () => {
  if (service.database.versionsKeysOnly) return;
  const pets = Array.from({ length: 600 }, (_, index) => ({ ...REX, name: `animal ${index + 1}` }));
  await importPets(service.database, pets);
  for (let time = 0; time < 3; time += 1) {
    for (let id = 1; id <= 600; id += 1) {
      const url = `http://127.0.0.1/v1/pets?id=${id}`;
      const headers = { Authorization: `Bearer ${service.key}` };
      const response = await service.app.fetch(new Request(url, { headers }));
      expect(await response.json()).toEqual([{ id, ...REX, name: `animal ${id}` }]);
    }
  }
});
