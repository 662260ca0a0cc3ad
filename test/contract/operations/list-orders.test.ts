/** listOrders: GET /store/orders. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { ORDER_STATUSES, type OrderRequests, orderRequests } from '../../support/order-requests.ts';
import { startService, type TestService } from '../../support/service.ts';

const ORDERS_PER_STATUS = 3;

let service: TestService;
let orders: OrderRequests;
beforeAll(async () => {
  service = await startService();
  orders = orderRequests(service);
  // Expired orders first: an expiry expires every order that is placed.
  for (const status of ORDER_STATUSES.toReversed())
    for (let count = 0; count < ORDERS_PER_STATUS; count += 1) await orders.addOrder(status);
});
afterAll(() => service.close());

describe('listOrders', () => {
  test('sorts by id, ascending', async () => {
    const ids = (await orders.list()).map(({ id }) => id);
    expect(ids).toHaveLength(ORDER_STATUSES.length * ORDERS_PER_STATUS);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
  });

  test('sorts by id, descending, with sort=-id', async () => {
    const ids = async (query: string) => (await orders.list(query)).map(({ id }) => id);
    expect(await ids('?sort=-id')).toEqual((await ids('')).toReversed());
    expect(await ids('?sort=-id&status=placed')).toEqual(
      (await ids('?status=placed')).toReversed(),
    );
    expect(await ids('?sort=id')).toEqual(await ids(''));
  });

  test.each(ORDER_STATUSES)('with status=%s returns only these orders', async (status) => {
    const found = await orders.list(`?status=${status}`);
    expect(found.map((order) => order.status)).toEqual(Array(ORDERS_PER_STATUS).fill(status));
  });

  test('with petId returns only the orders of this animal, also together with status', async () => {
    const [{ petId } = { petId: 0 }] = await orders.list('?status=cancelled');
    await orders.place(petId);
    const statuses = async (query: string) =>
      (await orders.list(query)).map(({ status }) => status);
    expect(await statuses(`?petId=${petId}`)).toEqual(['cancelled', 'placed']);
    expect(await statuses(`?petId=${petId}&status=cancelled`)).toEqual(['cancelled']);
    expect(await statuses(`?petId=${petId}&status=delivered`)).toEqual([]);
  });

  test.each(['', '&status=delivered', '&petId=7', '&sort=-id', '&status=placed&sort=-id'])(
    'returns each order once on pages that keep the filters and the order (%j)',
    async (filter) => {
      const walked: Order[] = [];
      let next: string | undefined = `/v1/store/orders?limit=1${filter}`;
      while (next !== undefined) {
        const { json, headers } = await service.request('GET', next);
        expect((json as Order[]).length).toBeLessThanOrEqual(1);
        walked.push(...(json as Order[]));
        next = /^<https:\/\/store\.test(\S+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(walked).toEqual(await orders.list(`?limit=100${filter}`));
    },
  );

  test.each([
    'status=open',
    'sort=createdAt',
    'petId=abc',
    'petId=1&petId=2',
    'limit=0',
    'limit=101',
  ])('returns 400 for %s', async (query) => {
    const { code } = await service.request('GET', `/v1/store/orders?${query}`);
    expect(code).toBe('invalid_parameter');
  });

  test('accepts a cursor for the same statuses in another order, and repeated', async () => {
    for (let count = 0; count < 2; count += 1) await orders.addOrder('placed');
    const path = '/v1/store/orders?limit=1&status=';
    const { headers } = await service.request('GET', `${path}approved&status=placed`);
    const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1];
    const same = `${path}placed&status=approved&status=placed&cursor=${cursor}`;
    expect((await service.request('GET', same)).status).toBe(200);
  });

  test('returns 400 for the cursor of another filter', async () => {
    const { headers } = await service.request('GET', '/v1/store/orders?limit=1&status=placed');
    const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1];
    const { code } = await service.request('GET', `/v1/store/orders?cursor=${cursor}`);
    expect(code).toBe('invalid_cursor');
  });
});
