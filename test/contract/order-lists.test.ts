/** Lists of orders, and the inventory that orders change. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Order, OrderStatus } from '../../src/orders/order.ts';
import type { PetStatus } from '../../src/pets/pet.ts';
import { startService, type TestService } from '../support/service.ts';

const STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

/** How an order comes to each status. */
const WAYS: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: [],
  approved: ['approved'],
  delivered: ['approved', 'delivered'],
  cancelled: ['cancelled'],
  expired: ['expired'],
};

let service: TestService;

const addPet = (status: PetStatus | null = 'available') =>
  service.addPet({ name: 'Rex', categoryId: 1, ...(status && { status }) });
const place = (petId: unknown) => service.request('POST', '/v1/store/orders', { body: { petId } });
const list = async (query = '') =>
  (await service.request('GET', `/v1/store/orders${query}`)).json as Order[];

async function bring({ id }: Order, status: OrderStatus): Promise<void> {
  if (status === 'expired') {
    const { expiresAt = '' } = (await service.request('GET', `/v1/store/orders/${id}`))
      .json as Order;
    await service.database.write(({ orders }) => orders.expire(Date.parse(expiresAt)));
  } else {
    const body = { status };
    const answer = await service.request('PATCH', `/v1/store/orders/${id}`, { body });
    expect(answer.status).toBe(200);
  }
}

/** Orders with a status, each for an animal of its own. */
async function addOrders(status: OrderStatus, count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) {
    const order = (await place((await addPet()).id)).json as Order;
    for (const next of WAYS[status]) await bring(order, next);
  }
}

describe('the list of orders', () => {
  const PER_STATUS = 3;
  beforeAll(async () => {
    service = await startService();
    // Expired ones first: all that are placed by then expire together.
    for (const status of STATUSES.toReversed()) await addOrders(status, PER_STATUS);
  });
  afterAll(() => service.close());

  test('is ascending by id', async () => {
    const ids = (await list()).map(({ id }) => id);
    expect(ids).toHaveLength(STATUSES.length * PER_STATUS);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
  });

  test.each(STATUSES)('with status=%s holds the orders with this status alone', async (status) => {
    const found = await list(`?status=${status}`);
    expect(found.map((order) => order.status)).toEqual(Array(PER_STATUS).fill(status));
  });

  test('with petId holds the orders for this animal alone, and both filters narrow it', async () => {
    const [{ petId } = { petId: 0 }] = await list('?status=cancelled');
    await place(petId);
    const statuses = async (query: string) => (await list(query)).map(({ status }) => status);
    expect(await statuses(`?petId=${petId}`)).toEqual(['cancelled', 'placed']);
    expect(await statuses(`?petId=${petId}&status=cancelled`)).toEqual(['cancelled']);
    expect(await statuses(`?petId=${petId}&status=delivered`)).toEqual([]);
  });

  test.each(['', '&status=delivered', '&petId=7'])(
    'is paged by Link, each order once, and keeps the filters (%j)',
    async (filter) => {
      const walked: Order[] = [];
      let next: string | undefined = `/v1/store/orders?limit=1${filter}`;
      while (next !== undefined) {
        const { json, headers } = await service.request('GET', next);
        expect((json as Order[]).length).toBeLessThanOrEqual(1);
        walked.push(...(json as Order[]));
        next = /^<https:\/\/store\.test(\S+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(walked).toEqual(await list(`?limit=100${filter}`));
    },
  );

  test.each(['status=open', 'petId=abc', 'petId=1&petId=2', 'limit=0', 'limit=101'])(
    'with %s is 400 invalid_parameter',
    async (query) => {
      const { json } = await service.request('GET', `/v1/store/orders?${query}`);
      expect(json).toMatchObject({ code: 'invalid_parameter' });
    },
  );

  test("with another filter's cursor is 400 invalid_cursor", async () => {
    const { headers } = await service.request('GET', '/v1/store/orders?limit=1&status=placed');
    const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1];
    const { json } = await service.request('GET', `/v1/store/orders?cursor=${cursor}`);
    expect(json).toMatchObject({ code: 'invalid_cursor' });
  });
});

describe('the inventory', () => {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const inventory = async () => (await service.request('GET', '/v1/store/inventory')).json;

  test('of an empty store counts none', async () => {
    expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 0, unset: 0 });
  });

  test('counts animals by status, and those without one as unset', async () => {
    for (const status of ['available', 'pending', 'pending', 'sold', null, null, null] as const)
      await addPet(status);
    expect(await inventory()).toEqual({ available: 1, pending: 2, sold: 1, unset: 3 });
  });

  test('follows the orders: an order moves its animal from one count to another', async () => {
    await addOrders('expired', 1);
    await addOrders('cancelled', 1);
    expect(await inventory()).toEqual({ available: 3, pending: 2, sold: 1, unset: 3 });
    await addOrders('placed', 1);
    await addOrders('approved', 1);
    expect(await inventory()).toEqual({ available: 3, pending: 4, sold: 1, unset: 3 });
    await addOrders('delivered', 1);
    expect(await inventory()).toEqual({ available: 3, pending: 4, sold: 2, unset: 3 });
  });
});
