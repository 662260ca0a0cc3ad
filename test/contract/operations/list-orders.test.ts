/** listOrders: GET /store/orders. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { useService } from '../../support/service.ts';
import { ORDER_STATUSES, orderRequests } from '../order-requests.ts';
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

  describe('with text', () => {
    const found = async (query: string) =>
      (await orders.list(`?${query}`)).map(({ reference }) => reference);
    beforeAll(async () => {
      for (const [reference, note] of [
        ['Frau Annegret Huber', 'Zahlt bar.'],
        ['R-17', 'Für Ådne\nO’Neill'],
        ['end', 'start'],
      ])
        await orders.place((await orders.addPet()).id, { reference, note });
    });

    test.each([
      ['huber', ['Frau Annegret Huber']],
      ['ZAHLT', ['Frau Annegret Huber']],
      ['adne', ['R-17']],
      ["o'neill", ['R-17']],
      ['%C3%85dne%0Ao', ['R-17']],
      ['hu%C2%ADber', ['Frau Annegret Huber']],
      ['nobody', []],
    ])('%s finds the orders whose reference or note contains it', async (text, references) => {
      expect(await found(`text=${text}`)).toEqual(references);
      expect(await found(`text=${text}&sort=-id`)).toEqual(references.toReversed());
    });

    test('finds no text that begins in the reference and ends in the note', async () => {
      expect(await found('text=endstart')).toEqual([]);
      expect(await found('text=end%0Astart')).toEqual([]);
    });

    test('and other filters returns the orders that all of them select', async () => {
      expect(await found('text=r&status=placed')).toEqual(['Frau Annegret Huber', 'R-17', 'end']);
      expect(await found('text=r&status=cancelled')).toEqual([]);
      expect(await found('text=r&reference=R-17')).toEqual(['R-17']);
    });

    test.each([
      ['', 'must have 1 to 100 characters'],
      ['x'.repeat(101), 'must have 1 to 100 characters'],
      ['a%00', 'must not contain control characters other than line feeds'],
      ['a%01', 'must not contain control characters other than line feeds'],
      ['%CC%81%C2%AD', 'must contain more than accents and invisible characters'],
    ])('is 400 for %j', async (text, problem) => {
      const { json } = await service.request('GET', `/v1/store/orders?text=${text}`);
      expect(json).toMatchObject({ code: 'invalid_parameter', message: `text: ${problem}` });
    });
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

    test('deliveredAfter and deliveredBefore select and order by the delivery, with those that were returned', async () => {
      const every = await walk('deliveredAfter=2020-01-01T00:00:00Z');
      const times = every.map(({ deliveredAt }) => deliveredAt ?? '');
      expect(times).toEqual(times.toSorted());
      const stored = await orders.list('?limit=100');
      expect(every).toHaveLength(stored.filter(({ deliveredAt }) => deliveredAt).length);
      expect(new Set(every.map(({ status }) => status))).toEqual(
        new Set(['delivered', 'returned']),
      );
      expect(await walk('deliveredAfter=2020-01-01T00:00:00Z&sort=-id')).toEqual(
        every.toReversed(),
      );
      const [from, before] = [times.at(-4) ?? '', times.at(-1) ?? ''];
      const some = await walk(`deliveredAfter=${from}&deliveredBefore=${before}`);
      expect(some).toEqual(
        every.filter(({ deliveredAt = '' }) => deliveredAt >= from && deliveredAt < before),
      );
      expect(some).toHaveLength(3);
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
