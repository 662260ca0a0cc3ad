/** deletePet: DELETE /pets/{petId}. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { NewPet } from '../../../src/pets/pet.ts';
import { importPets } from '../../support/catalogue.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type OrderRequests, orderRequests } from '../order-requests.ts';

let service: TestService;
let strict: TestService;
let orders: OrderRequests;
beforeAll(async () => {
  service = await startService();
  strict = await startService({ options: { requireIfMatch: true } });
  orders = orderRequests(service);
});
afterAll(() => Promise.all([service.close(), strict.close()]));

const REX: NewPet = { name: 'Rex', categoryId: 1, status: 'available' };

const remove = (id: unknown, headers: Record<string, string> = {}, at = service) =>
  at.request('DELETE', `/v1/pets/${id}`, { headers });
const get = (id: unknown, at = service) => at.request('GET', `/v1/pets/${id}`);

describe('deletePet', () => {
  test('returns 204 without content, and the animal no longer exists', async () => {
    const { id } = await service.addPet(REX);
    const response = await remove(id);
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('etag')).toBeNull();
    expect((await get(id)).status).toBe(404);
    expect((await service.request('GET', `/v1/pets?id=${id}`)).json).toEqual([]);
  });

  test('returns 404 the second time, as does updatePet', async () => {
    const { id } = await service.addPet(REX);
    await remove(id);
    expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found', status: 404 });
    const update = await service.request('PATCH', `/v1/pets/${id}`, { body: { name: 'Max' } });
    expect(update.code).toBe('pet_not_found');
  });

  test.each(['999999', 'abc', '01', '-1', '9223372036854775808'])(
    'returns 404 for the petId %s',
    async (id) => {
      expect((await remove(id)).json).toMatchObject({ code: 'pet_not_found', status: 404 });
    },
  );

  test('keeps the other animals', async () => {
    const [one, two] = [await service.addPet(REX), await service.addPet(REX)];
    const { text } = await get(two.id);
    await remove(one.id);
    expect((await get(two.id)).text).toBe(text);
  });

  test('never frees an id for reuse', async () => {
    const fresh = await startService();
    const ids: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { json } = await fresh.request('POST', '/v1/pets', { body: REX });
      const { id } = json as { id: number };
      ids.push(id);
      expect((await remove(id, {}, fresh)).status).toBe(204);
    }
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect((await fresh.request('GET', '/v1/pets')).json).toEqual([]);
    await fresh.close();
  });

  test('reads ids beyond 2^53 exactly', async () => {
    const fresh = await startService();
    const ids = [9007199254740992n, 9007199254740993n];
    await importPets(
      fresh.database,
      ids.map((id) => ({ id, ...REX })),
    );
    expect((await remove('9007199254740993', {}, fresh)).status).toBe(204);
    expect((await fresh.request('GET', '/v1/pets')).json).toEqual([
      { id: 9007199254740992n, ...REX },
    ]);
    await fresh.close();
  });

  test('succeeds for exactly one of several simultaneous requests', async () => {
    const { id } = await service.addPet(REX);
    const responses = await Promise.all(Array.from({ length: 8 }, () => remove(id)));
    expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(7);
  });

  test('checks credential, scope, existence, If-Match and open orders in this order', async () => {
    const { id } = await strict.addPet(REX);
    await orderRequests(strict).place(id);
    const { secret: key } = await strict.issueKey(['pets:read']);
    const codeFor = async (petId: unknown, options: object) =>
      (await strict.request('DELETE', `/v1/pets/${petId}`, options)).code;
    const wrongTag = { headers: { 'If-Match': '"other"' } };
    expect(await codeFor(999_999, { key: null, ...wrongTag })).toBe('credential_missing');
    expect(await codeFor(999_999, { key, ...wrongTag })).toBe('scope_missing');
    expect(await codeFor(999_999, wrongTag)).toBe('pet_not_found');
    expect(await codeFor(999_999, {})).toBe('pet_not_found');
    expect(await codeFor(id, wrongTag)).toBe('precondition_failed');
    expect(await codeFor(id, {})).toBe('precondition_required');
    expect(await codeFor(id, { headers: { 'If-Match': '*' } })).toBe('pet_reserved');
  });
});

describe('deletePet with If-Match', () => {
  test('that is the ETag, a list with it, or * deletes the animal', async () => {
    for (const header of [(tag: string) => tag, (tag: string) => `"a", ${tag}`, () => '*'])
      for (const at of [service, strict]) {
        const { id } = await at.addPet(REX);
        const headers = { 'If-Match': header((await get(id, at)).etag) };
        expect((await remove(id, headers, at)).status).toBe(204);
      }
  });

  test('that is another, a previous or a weak tag is 412, and keeps the animal', async () => {
    const { id } = await service.addPet(REX);
    const { etag: previous } = await get(id);
    await service.request('PATCH', `/v1/pets/${id}`, { body: { name: 'Max' } });
    const { text, etag } = await get(id);
    for (const tag of ['"other"', previous, `W/${etag}`]) {
      const { json } = await remove(id, { 'If-Match': tag });
      expect(json).toMatchObject({ code: 'precondition_failed', status: 412 });
    }
    expect((await get(id)).text).toBe(text);
  });

  test('absent under REQUIRE_IF_MATCH=on is 428, and keeps the animal', async () => {
    const { id } = await strict.addPet(REX);
    const { json } = await remove(id, {}, strict);
    expect(json).toMatchObject({ code: 'precondition_required', status: 428 });
    expect((await get(id, strict)).status).toBe(200);
  });
});

describe('deletePet with an order', () => {
  test('that is open returns 409, and keeps the animal', async () => {
    const { id } = await service.addPet(REX);
    const order = (await orders.place(id)).json as { id: number };
    expect((await remove(id)).json).toMatchObject({ code: 'pet_reserved', status: 409 });
    await orders.setStatus(order.id, 'approved');
    expect((await remove(id)).code).toBe('pet_reserved');
    expect((await get(id)).json).toEqual({ ...REX, id, status: 'pending' });
  });

  test.each([[['cancelled']], [['approved', 'delivered']], [['approved', 'cancelled']]])(
    'that became %j deletes the animal and keeps the order',
    async (statuses) => {
      const { id } = await service.addPet(REX);
      const order = (await orders.place(id)).json as { id: number };
      for (const status of statuses) await orders.setStatus(order.id, status);
      expect((await remove(id)).status).toBe(204);
      const { json } = await orders.get(order.id);
      expect(json).toMatchObject({ petId: id, status: statuses.at(-1) });
    },
  );

  test('that expires deletes the animal from that millisecond on', async () => {
    const { id } = await service.addPet(REX);
    await orders.place(id);
    service.clock.advance(30 * 60_000 - 1);
    expect((await remove(id)).code).toBe('pet_reserved');
    service.clock.advance(1);
    expect((await remove(id)).status).toBe(204);
  });
});
