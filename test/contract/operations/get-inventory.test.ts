/** getInventory: GET /store/inventory. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const inventory = async (at = service) => (await at.request('GET', '/v1/store/inventory')).json;

describe('getInventory', () => {
  test('returns zeros for an empty store', async () => {
    const empty = await startService();
    expect(await inventory(empty)).toEqual({ available: 0, pending: 0, sold: 0, unset: 0 });
    await empty.close();
  });

  test('counts animals by status, those without a status as unset, also as orders change', async () => {
    for (const status of ['available', 'pending', 'pending', 'sold', null, null, null] as const)
      await orders.addPet(status);
    expect(await inventory()).toEqual({ available: 1, pending: 2, sold: 1, unset: 3 });
    await orders.addOrder('expired');
    await orders.addOrder('cancelled');
    expect(await inventory()).toEqual({ available: 3, pending: 2, sold: 1, unset: 3 });
    await orders.addOrder('placed');
    await orders.addOrder('approved');
    expect(await inventory()).toEqual({ available: 3, pending: 4, sold: 1, unset: 3 });
    await orders.addOrder('delivered');
    expect(await inventory()).toEqual({ available: 3, pending: 4, sold: 2, unset: 3 });
  });

  test('counts one category with categoryId, whether it has a record or not, and zeros for an unknown one', async () => {
    const ids = [2n ** 53n + 1n, 2n ** 53n + 2n, -(2n ** 63n)] as const;
    for (const categoryId of ids) await service.addPet({ name: 'Rex', categoryId });
    await service.addPet({ name: 'Rex', categoryId: ids[0], status: 'sold' });
    const counts = async (categoryId: bigint) =>
      (await service.request('GET', `/v1/store/inventory?categoryId=${categoryId}`)).json;
    const zeros = { available: 0, pending: 0, sold: 0, unset: 0 };
    expect(await counts(ids[0])).toEqual({ ...zeros, sold: 1, unset: 1 });
    expect(await counts(ids[1])).toEqual({ ...zeros, unset: 1 });
    expect(await counts(ids[2])).toEqual({ ...zeros, unset: 1 });
    expect(await counts(2n ** 63n - 1n)).toEqual(zeros);
  });

  test('counts what a search by name finds, of all categories or of one', async () => {
    for (const [name, categoryId] of [
      ['Café', 41],
      ['cafe au lait', 42],
      ['Tea', 42],
    ] as const)
      await service.addPet({ name, categoryId, status: 'sold' });
    const counts = async (query: string) =>
      (await service.request('GET', `/v1/store/inventory?${query}`)).json;
    const zeros = { available: 0, pending: 0, sold: 0, unset: 0 };
    expect(await counts('name=CAFE')).toEqual({ ...zeros, sold: 2 });
    expect(await counts('name=CAFE&categoryId=42')).toEqual({ ...zeros, sold: 1 });
    expect(await counts('name=CAFE&categoryId=43')).toEqual(zeros);
  });
});
