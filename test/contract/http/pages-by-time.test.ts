/** listOrders with createdAfter and createdBefore: pages by time, then by id. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';
import { walkPages } from '../walk-pages.ts';

const START = Date.parse('2027-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

const service = useService();
/** All orders, in the order of a list by time. Several have the same time, and the clock was set back in between. */
let all: Order[];
beforeAll(async () => {
  const orders = orderRequests(service);
  const hours = [5, 5, 5, 2, 7, 0, 5, 2, 9, 7];
  for (const [index, hour] of hours.entries()) {
    service.clock.set(START + hour * HOUR_MS);
    const { id } = await orders.addPet();
    const status = (['delivered', 'approved'] as const)[index % 2];
    await orders.place(id, { status, ...(index % 3 === 0 && { reference: 'third' }) });
  }
  all = (await orders.list()).toSorted(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || Number(a.id) - Number(b.id),
  );
});

const at = (hour: number): string => new Date(START + hour * HOUR_MS).toISOString();
const idsOf = (orders: readonly Order[]) => orders.map(({ id }) => id);

async function list(query: string): Promise<Order[]> {
  const { status, json } = await service.request('GET', `/v1/store/orders?limit=100&${query}`);
  expect(status).toBe(200);
  return json as Order[];
}

/** The ids on the pages that follow one another. */
const walk = async (query: string, limit: number): Promise<unknown[]> =>
  idsOf((await walkPages<Order>(service, `/v1/store/orders?limit=${limit}&${query}`)).flat());

const matching = (query: URLSearchParams): Order[] => {
  const [after, before] = [query.get('createdAfter') ?? '', query.get('createdBefore') ?? '~'];
  const statuses = query.getAll('status');
  const found = all.filter(
    ({ createdAt, status, reference, petId }) =>
      createdAt >= after &&
      createdAt < before &&
      (statuses.length === 0 || statuses.includes(status)) &&
      (query.get('reference') ?? reference) === reference &&
      (query.get('petId') ?? String(petId)) === String(petId),
  );
  return query.get('sort') === '-id' ? found.toReversed() : found;
};

describe('a list by time', () => {
  test('includes createdAfter, and excludes createdBefore', async () => {
    const hours = async (query: string) =>
      (await list(query)).map(({ createdAt }) => (Date.parse(createdAt) - START) / HOUR_MS);
    expect(await hours(`createdAfter=${at(5)}`)).toEqual([5, 5, 5, 5, 7, 7, 9]);
    expect(await hours(`createdBefore=${at(5)}`)).toEqual([0, 2, 2]);
    expect(await hours(`createdAfter=${at(2)}&createdBefore=${at(7)}`)).toEqual([2, 2, 5, 5, 5, 5]);
    expect(await hours(`createdAfter=${at(5)}&sort=-id`)).toEqual([9, 7, 7, 5, 5, 5, 5]);
    expect(await hours(`createdAfter=${at(7)}&createdBefore=${at(2)}`)).toEqual([]);
  });

  test('is by id without these filters', async () => {
    const ids = idsOf(await list(''));
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
    expect(ids).not.toEqual(idsOf(all));
  });

  test.each(
    [
      `createdAfter=${at(0)}`,
      `createdBefore=${at(9)}&status=delivered`,
      `createdAfter=${at(2)}&createdBefore=${at(8)}&status=approved&status=delivered`,
      `createdAfter=${at(0)}&reference=third`,
      `createdBefore=${at(9)}&petId=3&status=delivered`,
    ].flatMap((query) => [`${query}&sort=id`, `${query}&sort=-id`]),
  )('has each matching order once, on pages of any size (%s)', async (query) => {
    const expected = idsOf(matching(new URLSearchParams(query)));
    expect(idsOf(await list(query))).toEqual(expected);
    for (const limit of [1, 2, 3, 7]) expect(await walk(query, limit)).toEqual(expected);
  });
});

describe('createdAfter and createdBefore', () => {
  test('compare fractions of a millisecond', async () => {
    const [one, other] = ['2027-03-01T05:00:00.0001Z', '2027-03-01T05:00:00.000000Z'];
    expect(idsOf(await list(`createdAfter=${one}`))).toEqual(
      idsOf(await list(`createdAfter=${at(6)}`)),
    );
    expect(idsOf(await list(`createdBefore=${one}`))).toEqual(
      idsOf(await list(`createdBefore=${at(6)}`)),
    );
    expect(idsOf(await list(`createdAfter=${other}`))).toEqual(
      idsOf(await list(`createdAfter=${at(5)}`)),
    );
  });

  test.each([
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.9999Z',
  ])(
    'accept the time %s at the end of the calendar, and the link to the next page, too',
    async (time) => {
      const name = time.startsWith('0') ? 'createdAfter' : 'createdBefore';
      expect(await walk(`${name}=${encodeURIComponent(time)}`, 3)).toEqual(idsOf(all));
    },
  );

  test('refuse a plus sign, which is a space in a query', async () => {
    const time = '2027-03-01T05:00:00+01:00';
    const { json } = await service.request('GET', `/v1/store/orders?createdAfter=${time}`);
    expect(json).toEqual({
      code: 'invalid_parameter',
      message:
        'createdAfter: must be a time such as 2030-01-31T12:00:00Z or 2030-01-31T12:00:00%2B01:00',
      status: 400,
    });
  });
});
