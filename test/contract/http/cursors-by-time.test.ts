/** The cursors of lists by time. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  decodeCursor,
  decodeTimeCursor,
  encodeCursor,
  encodeTimeCursor,
} from '../../../src/http/contract/cursor.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

/** Any text. */
const LIST = '/store/orders';
const START = Date.parse('2027-03-01T00:00:00Z');
const at = (hour: number): string => new Date(START + hour * 3_600_000).toISOString();

const service = useService();
beforeAll(async () => {
  const orders = orderRequests(service);
  for (let count = 0; count < 10; count += 1) {
    service.clock.set(at(count));
    const { id } = await orders.addPet();
    await orders.place(id, { status: 'delivered' });
  }
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
    expect(await statusOf(`${query}&cursor=${cursor}`)).toBe(200);
    expect(await statusOf(`limit=5&cursor=${cursor}&${query}`)).toBe(200);
    for (const other of [
      '',
      `createdAfter=${at(1)}`,
      `createdBefore=${at(0)}`,
      `${query}&createdBefore=${at(9)}`,
      `${query}&status=delivered`,
      `${query}&reference=third`,
      `${query}&petId=1`,
      `${query}&sort=-id`,
    ])
      expect(await statusOf(`${other}&cursor=${cursor}`)).toBe(400);
  });

  test('is the same for all spellings of a time', async () => {
    const cursor = await cursorOf(query);
    const other = encodeURIComponent('2027-03-01T02:00:00+02:00');
    expect(await statusOf(`createdAfter=${other}&cursor=${cursor}`)).toBe(200);
  });

  test('of a list by id is 400 in one by time, and one from before these filters stays valid', async () => {
    expect(await statusOf(`${query}&cursor=${await cursorOf('')}`)).toBe(400);
    expect(await statusOf(`cursor=${encodeCursor(2, '/store/orders')}`)).toBe(200);
    const filters = 'status=delivered&petId=3';
    expect(
      await statusOf(
        `${filters}&cursor=${encodeCursor(2, '/store/orders status=delivered petId=3')}`,
      ),
    ).toBe(200);
  });

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
