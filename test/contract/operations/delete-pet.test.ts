/** deletePet: DELETE /pets/{petId}. */
import { describe, expect, test } from 'bun:test';
import type { NewPet } from '../../../src/pets/pet.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const strict = useService({ options: { requireIfMatch: true } });
const orders = orderRequests(service);

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
    expect((await get(id)).status).toBe(404);
    expect((await service.request('GET', `/v1/pets?id=${id}`)).json).toEqual([]);
  });

  test('checks existence before If-Match, and If-Match before open orders', async () => {
    const { id } = await strict.addPet(REX);
    await orderRequests(strict).place(id);
    const codeFor = async (petId: unknown, headers = {}) =>
      (await remove(petId, headers, strict)).code;
    expect(await codeFor(999_999)).toBe('pet_not_found');
    expect(await codeFor(999_999, { 'If-Match': '"other"' })).toBe('pet_not_found');
    expect(await codeFor(id, { 'If-Match': '"other"' })).toBe('precondition_failed');
    expect(await codeFor(id)).toBe('precondition_required');
    expect(await codeFor(id, { 'If-Match': '*' })).toBe('pet_reserved');
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
});
