/** listOrders: GET /store/orders. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { ORDER_STATUSES } from '../../../src/orders/order-states.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';
import { walkPages } from '../walk-pages.ts';

const ORDERS_PER_STATUS = 3;

const service = useService();
const orders = orderRequests(service);
beforeAll(async () => {
  // Expired orders first: an expiry expires every order that is placed.
  for (const status of ORDER_STATUSES.toReversed())
    for (let count = 0; count < ORDERS_PER_STATUS; count += 1) await orders.addOrder(status);
});

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

  test.each(['', '&status=delivered', '&petId=7', '&sort=-id', '&status=placed&sort=-id'])(
    'returns each order once on pages that keep the filters and the order (%j)',
    async (filter) => {
      const pages = await walkPages<Order>(service, `/v1/store/orders?limit=1${filter}`);
      const all = await orders.list(`?limit=100${filter}`);
      expect(pages).toEqual(all.length === 0 ? [[]] : all.map((order) => [order]));
    },
  );

  test('with text returns the orders whose reference or note contains it, in both orders', async () => {
    const texts = ['Frau Annegret Huber', 'Für Ådne', 'end'];
    for (const [index, reference] of texts.entries())
      await orders.place((await orders.addPet()).id, { reference, note: texts.at(index - 1) });
    const found = async (query: string) =>
      (await orders.list(`?text=${query}`)).map(({ reference }) => reference);
    expect(await found('adne')).toEqual(['Für Ådne', 'end']);
    expect(await found('HUBER&sort=-id')).toEqual(['Für Ådne', 'Frau Annegret Huber']);
    // Not even if it begins in the reference and ends in the note.
    for (const text of ['endfu', 'end%0Afu']) expect(await found(text)).toEqual([]);
  });

  test('with reference returns the orders with exactly this one, if the other filters select them, too', async () => {
    await orders.place((await orders.addPet()).id, { reference: 'Tom ' });
    const every = 'reference=Tom%20&text=tom&createdAfter=2020-01-01T00:00:00Z';
    for (const [query, count] of [
      [`${every}&status=placed`, 1],
      [`${every}&status=approved`, 0],
      ['text=tom&reference=Tom', 0],
      ['reference=tom%20', 0],
    ] as const)
      expect([query, (await orders.list(`?${query}`)).length]).toEqual([query, count]);
  });

  test('refuses a reference of two lines', async () => {
    const { json } = await service.request('GET', '/v1/store/orders?reference=a%0Ab');
    expect(json).toMatchObject({ message: 'reference: must not contain control characters' });
  });

  describe('by a time', () => {
    /** The time of each hand-over is that of the sale before it, so that the orders are not by id. */
    beforeAll(async () => {
      const held = [];
      for (let count = 0; count < 4; count += 1) held.push(await orders.addOrder('approved'));
      for (const { id } of held.toReversed()) {
        service.clock.advance(1_000);
        await orders.setStatus(id, 'delivered');
      }
      await orders.setStatus(held[0]?.id, 'returned');
      for (let count = 0; count < 3; count += 1) {
        service.clock.advance(-1_000);
        await orders.addOrder('placed');
      }
    });
    const walk = async (query: string) =>
      (await walkPages<Order>(service, `/v1/store/orders?limit=2&${query}`)).flat();

    test('deliveredAfter and deliveredBefore order by the delivery, with those that were returned', async () => {
      const every = await walk('deliveredAfter=2020-01-01T00:00:00Z');
      const times = every.map(({ deliveredAt }) => deliveredAt ?? '');
      expect(times).toEqual(times.toSorted());
      const stored = await orders.list('?limit=100');
      expect(every).toHaveLength(stored.filter(({ deliveredAt }) => deliveredAt).length);
      expect(await walk('deliveredBefore=2030-01-01T00:00:00Z&sort=-id')).toEqual(
        every.toReversed(),
      );
      const [first = '', last = ''] = [times.at(0), times.at(-1)];
      expect(await walk(`deliveredAfter=${first}&deliveredBefore=${last}`)).toEqual(
        every.filter((_order, index) => (times[index] ?? '') < last),
      );
    });

    test('sort=expiresAt returns the placed orders, those first that expire next', async () => {
      const placed = await walk('sort=expiresAt');
      const times = placed.map(({ expiresAt }) => expiresAt ?? '');
      expect(times).toEqual(times.toSorted());
      expect(times.length).toBeGreaterThan(3);
      const byId = await walk('status=placed');
      expect(placed.map(({ id }) => id)).not.toEqual(byId.map(({ id }) => id));
      expect(placed.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual(byId);
      expect(await walk('sort=expiresAt&status=placed')).toEqual(placed);
    });

    test.each([
      'status=approved',
      'status=placed&status=approved',
      'createdAfter=2020-01-01T00:00:00Z',
      'deliveredBefore=2020-01-01T00:00:00Z',
    ])('sort=expiresAt with %s is 400, because only placed orders expire', async (query) => {
      const { json } = await service.request('GET', `/v1/store/orders?sort=expiresAt&${query}`);
      expect(json).toMatchObject({
        code: 'invalid_parameter',
        message:
          'sort: can be expiresAt only for placed orders: without a filter by time, and without another status',
      });
    });
  });

  test('accepts a cursor for the same statuses in another order, and repeated', async () => {
    for (let count = 0; count < 2; count += 1) await orders.addOrder('placed');
    const path = '/v1/store/orders?limit=1&status=';
    const { headers } = await service.request('GET', `${path}placed&status=approved`);
    const cursor = /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1];
    const same = `${path}approved&status=placed&status=approved&cursor=${cursor}`;
    expect((await service.request('GET', same)).status).toBe(200);
  });
});
