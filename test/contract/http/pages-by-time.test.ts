/** listOrders with createdAfter and createdBefore: pages by time, then by id, and their cursors. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  decodeCursor,
  decodeTimeCursor,
  encodeCursor,
  encodeTimeCursor,
} from '../../../src/http/contract/cursor.ts';
import type { Order } from '../../../src/orders/order.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';
import { walkPages } from '../walk-pages.ts';

const START = Date.parse('2027-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const at = (hour: number): string => new Date(START + hour * HOUR_MS).toISOString();

const service = useService();
const orders = orderRequests(service);
/** All orders, in the order of a list by time. Several have the same time, and the clock was set back in between. */
let all: Order[];
beforeAll(async () => {
  for (const hour of [5, 5, 5, 2, 7, 0, 5, 2, 9, 7]) {
    service.clock.set(at(hour));
    await orders.addOrder('delivered');
  }
  all = (await orders.list()).toSorted(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || Number(a.id) - Number(b.id),
  );
});

describe('a list by time', () => {
  test('includes createdAfter, and excludes createdBefore', async () => {
    const hours = async (query: string) =>
      (await orders.list(`?${query}`)).map(
        ({ createdAt }) => (Date.parse(createdAt) - START) / HOUR_MS,
      );
    expect(await hours(`createdAfter=${at(5)}`)).toEqual([5, 5, 5, 5, 7, 7, 9]);
    expect(await hours(`createdBefore=${at(5)}`)).toEqual([0, 2, 2]);
    expect(await hours(`createdAfter=${at(2)}&createdBefore=${at(7)}`)).toEqual([2, 2, 5, 5, 5, 5]);
    expect(await hours(`createdAfter=${at(7)}&createdBefore=${at(2)}`)).toEqual([]);
  });

  test('is by id without these filters', async () => {
    expect((await orders.list()).map(({ id }) => Number(id))).toEqual(
      Array.from(all, (_, index) => index + 1),
    );
  });

  test.each([
    'createdAfter=0000-01-01T00:00:00%2B01:00',
    'createdAfter=0000-01-01T00:00:00Z',
    'createdBefore=9999-12-31T23:59:59-01:00',
    'createdBefore=9999-12-31T23:59:59.9999Z',
  ])('has each order once on its pages, in both orders, also with %s', async (query) => {
    const walk = async (path: string) => (await walkPages<Order>(service, path)).flat();
    const path = `/v1/store/orders?limit=3&${query}`;
    expect(await walk(path)).toEqual(all);
    expect(await walk(`${path}&sort=-id`)).toEqual(all.toReversed());
  });

  test('is refused for a plus sign, which is a space in a query', async () => {
    const time = '2027-03-01T05:00:00+01:00';
    const { json } = await service.request('GET', `/v1/store/orders?createdAfter=${time}`);
    expect(json).toMatchObject({ message: expect.stringContaining('or 2030-01-31T12:00:00%2B') });
  });
});

describe('a cursor of a list by time', () => {
  const query = `createdAfter=${at(0)}`;
  const cursorOf = async (of: string) => {
    const { headers } = await service.request('GET', `/v1/store/orders?limit=2&${of}`);
    return /cursor=([^>]+)/.exec(headers.get('link') ?? '')?.[1] ?? '';
  };
  const statusOf = async (of: string) =>
    (await service.request('GET', `/v1/store/orders?${of}`)).status;

  test('has 27 characters, and belongs to the filters and the order', async () => {
    const cursor = await cursorOf(query);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{27}$/);
    expect(await statusOf(`limit=5&cursor=${cursor}&${query}`)).toBe(200);
    const sameTime = `createdAfter=${encodeURIComponent('2027-03-01T02:00:00+02:00')}`;
    expect(await statusOf(`${sameTime}&cursor=${cursor}`)).toBe(200);
    for (const other of ['', `createdBefore=${at(0)}`, `${query}&petId=1`, `${query}&sort=-id`])
      expect(await statusOf(`${other}&cursor=${cursor}`)).toBe(400);
    expect(await statusOf(`${query}&cursor=${await cursorOf('')}`)).toBe(400);
  });

  /** Any text. */
  const LIST = '/store/orders';

  test('with one bit changed, cut short or lengthened is none', () => {
    const cursor = encodeTimeCursor({ time: START, id: 7 }, LIST);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeTimeCursor(altered.toString('base64url'), LIST)).toBeUndefined();
    }
    const ofFraction = encodeTimeCursor({ time: 0.5, id: 7 }, LIST);
    for (const other of [cursor.slice(0, -1), `${cursor}A`, 'A'.repeat(27), ofFraction])
      expect(decodeTimeCursor(other, LIST)).toBeUndefined();
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spare = last[last.indexOf(cursor.at(-1) ?? '') + 1];
    expect(decodeTimeCursor(`${cursor.slice(0, -1)}${spare}`, LIST)).toBeUndefined();
  });

  test('holds any time and any 64-bit id', () => {
    fc.assert(
      fc.property(
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.integer({ min: -8.64e15, max: 8.64e15 }),
        fc.string(),
        (id, time, of) => {
          const cursor = encodeTimeCursor({ time, id }, of);
          expect(decodeTimeCursor(cursor, of)).toEqual({ time, id });
          expect(decodeTimeCursor(cursor, `${of} `)).toBeUndefined();
          expect(decodeCursor(cursor, of)).toBeUndefined();
          expect(decodeTimeCursor(encodeCursor(id, of), of)).toBeUndefined();
        },
      ),
    );
  });
});
