/** updatePet: PATCH /pets/{petId}. */
import { describe, expect, test } from 'bun:test';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { NewPet } from '../../../src/pets/pet.ts';
import { importPets } from '../../support/catalogue.ts';
import { startService, useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const strict = useService({ options: { requireIfMatch: true } });

const MERGE_PATCH = 'application/merge-patch+json';
const REX: NewPet = { name: 'Rex', categoryId: 1, status: 'available' };

const patch = (id: unknown, body: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('PATCH', `/v1/pets/${id}`, {
    body: typeof body === 'string' ? body : renderExactJson(body),
    headers: { 'Content-Type': MERGE_PATCH, ...headers },
  });
const get = (id: unknown, at = service) => at.request('GET', `/v1/pets/${id}`);

describe('updatePet', () => {
  test.each([
    ['name', { name: ' Zoe\u0308 "🐈‍⬛"\\\n' }, { ...REX, name: ' Zoe\u0308 "🐈‍⬛"\\\n' }],
    ['categoryId', { categoryId: -7 }, { ...REX, categoryId: -7 }],
    ['status', { status: 'sold' }, { ...REX, status: 'sold' }],
    ['all fields', { name: 'Mia', categoryId: 2, status: 'pending' }, undefined],
    ['no fields', {}, REX],
  ])('changes %s and keeps the other fields', async (_what, body, expected) => {
    const { id } = await service.addPet(REX);
    const response = await patch(id, body);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ id, ...(expected ?? body) });
    expect((await get(id)).text).toBe(response.text);
  });

  test('accepts the same id, ignores unknown fields and does not store them', async () => {
    const { id } = await service.addPet(REX);
    expect((await patch(id, { id, colour: { red: [null] }, toString: null })).json).toEqual({
      id,
      ...REX,
    });
  });

  test('keeps 64-bit integers exact in the path, the body and the response', async () => {
    await using other = await startService();
    const [neighbour, id] = [9007199254740992n, 9007199254740993n];
    await importPets(other.database, [
      { id: neighbour, ...REX },
      { id, ...REX },
    ]);
    const body = { id, categoryId: -9007199254740993n, status: null };
    const response = await patch(id, body, {}, other);
    expect(response.text).toBe(`{"id":${id},"name":"Rex","categoryId":-9007199254740993}`);
    expect((await get(id, other)).text).toBe(response.text);
    expect((await patch(id, `{"id":${neighbour}}`, {}, other)).code).toBe('read_only_field');
    expect((await get(neighbour, other)).json).toEqual({ id: neighbour, ...REX });
  });

  test.each([
    ['name is null', '{"status":"sold","name":null}', 400, 'validation_failed'],
    ['name is empty', '{"status":"sold","name":""}', 400, 'validation_failed'],
    ['categoryId is null', '{"status":"sold","categoryId":null}', 400, 'validation_failed'],
    ['categoryId is beyond int64', '{"categoryId":9223372036854775808}', 400, 'validation_failed'],
    ['status is unknown', '{"name":"Max","status":"lost"}', 400, 'validation_failed'],
    ['the id differs', '{"name":"Max","id":987654321}', 400, 'read_only_field'],
    ['the id is not an integer', '{"name":"Max","id":"1"}', 400, 'validation_failed'],
    ['the body is not an object', '["name"]', 400, 'invalid_json'],
  ])('changes nothing if %s: %s is %d %s', async (_what, body, status, code) => {
    const { id } = await service.addPet(REX);
    expect((await patch(id, body)).json).toMatchObject({ code, status });
    expect((await get(id)).json).toEqual({ id, ...REX });
  });

  test('rejects a categoryId without a category under REQUIRE_KNOWN_CATEGORY=on, and changes nothing', async () => {
    await using known = await startService({ options: { requireKnownCategory: true } });
    const { id } = await known.addPet(REX);
    const message = 'categoryId: is not a known category';
    const rejected = await patch(id, { name: 'Max', categoryId: 2 }, {}, known);
    expect(rejected.json).toEqual({ code: 'validation_failed', message, status: 400 });
    expect((await get(id, known)).json).toEqual({ id, ...REX });
    await known.request('PUT', '/v1/categories/2', { body: { name: 'Cats' } });
    expect((await patch(id, { categoryId: 2 }, {}, known)).status).toBe(200);
    expect((await patch(id, { status: 'sold' }, {}, known)).status).toBe(200);
  });

  test('checks validity before existence, and existence before If-Match', async () => {
    for (const headers of [{}, { 'If-Match': '"other"' }]) {
      const codeFor = async (body: object) => (await patch(999_999, body, headers, strict)).code;
      expect(await codeFor({ name: '' })).toBe('validation_failed');
      expect(await codeFor({ id: 5 })).toBe('read_only_field');
      expect(await codeFor({ name: 'Max' })).toBe('pet_not_found');
    }
  });

  test('checks validity before If-Match, and If-Match before open orders', async () => {
    const { id } = await strict.addPet(REX);
    await orderRequests(strict).place(id);
    const setStatus = (status: string, tag?: string) =>
      patch(id, { status }, tag === undefined ? {} : { 'If-Match': tag }, strict);
    const { etag } = await get(id, strict);
    expect((await setStatus('lost', '"other"')).code).toBe('validation_failed');
    expect((await setStatus('sold', '"other"')).code).toBe('precondition_failed');
    expect((await setStatus('sold')).code).toBe('precondition_required');
    expect((await setStatus('sold', etag)).code).toBe('pet_reserved');
    expect((await setStatus('pending', etag)).status).toBe(200);
  });
});

describe.each(['placed', 'approved'] as const)('updatePet with an order that is %s', (status) => {
  test.each(['available', 'sold', null])('rejects the status %p with 409', async (newStatus) => {
    const { petId } = await orderRequests(service).addOrder(status);
    const { json } = await patch(petId, { status: newStatus, name: 'Max' });
    expect(json).toMatchObject({ code: 'pet_reserved', status: 409 });
    expect((await get(petId)).json).toMatchObject({ name: 'Rex', status: 'pending' });
  });

  test('changes other fields, also together with the same status', async () => {
    const { petId } = await orderRequests(service).addOrder(status);
    expect((await patch(petId, { name: 'Max' })).status).toBe(200);
    expect((await patch(petId, { categoryId: 7, status: 'pending' })).status).toBe(200);
    const { json } = await get(petId);
    expect(json).toMatchObject({ name: 'Max', categoryId: 7, status: 'pending' });
  });
});
