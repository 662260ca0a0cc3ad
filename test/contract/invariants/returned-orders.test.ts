/** updateOrder with the status returned: one animal is never sold twice. */
import { describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const setPet = (id: unknown, status: Pet['status'] | null) =>
  service.request('PATCH', `/v1/pets/${id}`, { body: { status } });
const sell = async (petId: unknown) =>
  (await orders.place(petId, { status: 'delivered' })).json as Order;
const giveBack = async (order: Order) => {
  const { status, json } = await orders.setStatus(order.id, 'returned');
  expect(status).toBe(200);
  const endedAt = new Date(service.clock.now()).toISOString();
  expect(json).toEqual({ ...order, status: 'returned', endedAt });
};
const petStatus = async (id: unknown) => (await orders.pet(id)).status;

describe('a return', () => {
  test.each(['available', 'pending', null] as const)(
    'of an animal that staff set to %p changes the order only',
    async (status) => {
      const { id } = await orders.addPet();
      const order = await sell(id);
      await setPet(id, status);
      await giveBack(order);
      expect(await orders.pet(id)).toEqual({
        id,
        name: 'Rex',
        categoryId: 1,
        ...(status && { status }),
      } as Pet);
    },
  );

  test.each(['placed', 'approved', 'delivered'] as const)(
    'of an earlier order changes the order only while a later one is %s',
    async (status) => {
      const { id } = await orders.addPet();
      const earlier = await sell(id);
      await setPet(id, 'available');
      expect((await orders.place(id, { status })).status).toBe(201);
      const before = await petStatus(id);
      await giveBack(earlier);
      expect(await petStatus(id)).toBe(before);
    },
  );

  test.each(['cancelled', 'expired', 'returned'] as const)(
    'of an earlier order makes the animal available if it is sold, and a later order is %s',
    async (status) => {
      const { id } = await orders.addPet();
      const earlier = await sell(id);
      await setPet(id, 'available');
      const later = (await orders.place(id, status === 'returned' ? { status: 'delivered' } : {}))
        .json as Order;
      if (status === 'expired') service.clock.advance(30 * 60_000);
      else await orders.setStatus(later.id, status);
      await setPet(id, 'sold');
      expect((await orders.get(later.id)).json).toMatchObject({ status });
      await giveBack(earlier);
      expect(await petStatus(id)).toBe('available');
    },
  );

  test('of the later one of two sales makes the animal available, although the earlier one is delivered', async () => {
    const { id } = await orders.addPet();
    const earlier = await sell(id);
    await setPet(id, 'available');
    const later = await sell(id);
    await giveBack(later);
    expect(await petStatus(id)).toBe('available');
    await sell(id);
    await giveBack(earlier);
    expect(await petStatus(id)).toBe('sold');
  });

  test('does not mind orders of other animals', async () => {
    const [one, other] = [await orders.addPet(), await orders.addPet()];
    const order = await sell(one.id);
    await sell(other.id);
    await giveBack(order);
    expect(await petStatus(one.id)).toBe('available');
    expect(await petStatus(other.id)).toBe('sold');
  });

  test('of an animal that was removed changes the order only', async () => {
    const { id } = await orders.addPet();
    const order = await sell(id);
    expect((await service.request('DELETE', `/v1/pets/${id}`)).status).toBe(204);
    await giveBack(order);
    expect((await service.request('GET', `/v1/pets/${id}`)).status).toBe(404);
  });
});
