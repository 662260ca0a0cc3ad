/** getInventory: GET /store/inventory. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const inventory = async (at = service) => (await at.request('GET', '/v1/store/inventory')).json;

describe('getInventory', () => {
  test('returns zeros for an empty store', async () => {
    await using empty = await startService();
    expect(await inventory(empty)).toEqual({ available: 0, pending: 0, sold: 0, unset: 0 });
  });

  test('counts animals by status, those without a status as unset', async () => {
    for (const status of ['available', 'pending', 'pending', 'sold', null, null, null] as const)
      await orders.addPet(status);
    expect(await inventory()).toEqual({ available: 1, pending: 2, sold: 1, unset: 3 });
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
    for (const categoryId of [41, 42])
      await service.addPet({ name: 'Café', categoryId, status: 'sold' });
    await service.addPet({ name: 'Tea', categoryId: 42 });
    const counts = async (query: string) =>
      (await service.request('GET', `/v1/store/inventory?${query}`)).json;
    const zeros = { available: 0, pending: 0, sold: 0, unset: 0 };
    expect(await counts('name=CAFE')).toEqual({ ...zeros, sold: 2 });
    expect(await counts('name=CAFE&categoryId=42')).toEqual({ ...zeros, sold: 1 });
  });
});
