/** The reference and the note of an order: placeOrder, updateOrder, listOrders. */
import { describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useService } from '../../support/service.ts';
import { ORDER_STATUSES, orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const TEXTS = { reference: 'R-1', note: 'For Ann.\nCall first.' };

/** Places an order with these fields for a new animal. */
const place = async (fields: object) => orders.place((await orders.addPet()).id, fields);

/** Valid and invalid values of each text. */
const VALUES = {
  reference: {
    valid: [
      'x',
      ' ',
      'x'.repeat(100),
      '🐕'.repeat(100),
      '"\\\u2028',
      "'; DROP TABLE orders; --",
      'é',
      'e\u0301',
      '\u200fשרה\u200e',
    ],
    invalid: {
      '': 'must have 1 to 100 characters',
      ['x'.repeat(101)]: 'must have 1 to 100 characters',
      ['🐕'.repeat(101)]: 'must have 1 to 100 characters',
      'a\nb': 'must not contain control characters',
      'a\u0000': 'must not contain control characters',
      '\u001b[2J': 'must not contain control characters',
      '\u007f': 'must not contain control characters',
      '\u0085': 'must not contain control characters',
      '\u202e': 'must not contain control characters',
    },
  },
  note: {
    valid: ['x', '\n', 'x'.repeat(1_000), '🐕'.repeat(1_000), 'a\n\nb'],
    invalid: {
      '': 'must have 1 to 1000 characters',
      ['x'.repeat(1_001)]: 'must have 1 to 1000 characters',
      'a\r\nb': 'must not contain control characters other than line feeds',
      'a\tb': 'must not contain control characters other than line feeds',
      '\u0000': 'must not contain control characters other than line feeds',
      '\u2066': 'must not contain control characters other than line feeds',
    },
  },
} as const;
const NAMES = ['reference', 'note'] as const;

describe.each(NAMES)('the field %s', (name) => {
  test.each(VALUES[name].valid.map((text) => [text]))(
    'is stored exactly as sent, and read back: %j',
    async (text) => {
      const placed = await place({ [name]: text });
      const { id } = placed.json as Order;
      expect(placed.json).toHaveProperty(name, text);
      expect((await orders.get(id)).text).toBe(placed.text);
      const changed = await orders.patch((await orders.addOrder()).id, { [name]: text });
      expect(changed.json).toHaveProperty(name, text);
      expect((await orders.get((changed.json as Order).id)).text).toBe(changed.text);
    },
  );

  test.each(Object.entries(VALUES[name].invalid))(
    'is 400 in a new order and in a patch, which then change nothing: %j',
    async (text, problem) => {
      const expected = { code: 'validation_failed', message: `${name}: ${problem}`, status: 400 };
      const pet = await orders.addPet();
      expect((await orders.place(pet.id, { [name]: text })).json).toEqual(expected);
      expect(await orders.pet(pet.id)).toEqual(pet);
      const order = await orders.addOrder();
      const patch = { [name]: text, status: 'approved' };
      expect((await orders.patch(order.id, patch)).json).toEqual(expected);
      expect((await orders.get(order.id)).json).toEqual(order);
    },
  );

  test('is 400 if it is no text, and is removed by null in a patch', async () => {
    const expected = { message: `${name}: must be a string`, status: 400 };
    const { json } = await place(TEXTS);
    const { id, [name]: _removed, ...rest } = json as Order;
    for (const value of [null, 1, ['x']])
      expect((await place({ [name]: value })).json).toMatchObject(expected);
    expect((await orders.patch(id, { [name]: 1 })).json).toMatchObject(expected);
    const { json: changed } = await orders.patch(id, { [name]: null });
    expect(changed).toEqual({ id, ...rest });
    expect((await orders.get(id)).json).toEqual({ id, ...rest });
  });

  test('is 400 if it has a lone surrogate', async () => {
    const body = `{"petId":1,"${name}":"\\ud800"}`;
    const headers = { 'Content-Type': 'application/json' };
    const { json } = await service.request('POST', '/v1/store/orders', { body, headers });
    expect(json).toMatchObject({ code: expect.stringMatching(/validation_failed|invalid_json/) });
  });
});

describe('a patch of the texts', () => {
  test.each(
    ORDER_STATUSES.flatMap((status) => [
      [status, {}],
      [status, { status }],
    ]),
  )('of an order that is %s changes nothing else, with %j', async (status, also) => {
    const order = await orders.addOrder(status);
    const pet = await orders.pet(order.petId);
    const { json, etag } = await orders.patch(order.id, { ...also, ...TEXTS });
    expect(json).toEqual({ ...order, ...TEXTS });
    const stored = await orders.get(order.id);
    expect(stored.json).toEqual({ ...order, ...TEXTS });
    expect(stored.headers.get('etag')).toBe(etag);
    expect(await orders.pet(order.petId)).toEqual(pet);
  });

  test('does not move the end of an order: it is deleted at the same time', async () => {
    const order = await orders.addOrder('delivered');
    const endedAt = service.clock.now();
    service.clock.advance(60_000);
    await orders.patch(order.id, TEXTS);
    await orders.patch(order.id, { status: 'delivered', note: null });
    const hasEnded = async (time: number) => service.database.read.orders.hasEndedBefore(time);
    await service.database.write(BY_TEST, (stores) =>
      stores.orders.deleteEndedBefore(endedAt, 1_000),
    );
    expect([await hasEnded(endedAt), await hasEnded(endedAt + 1)]).toEqual([false, true]);
    await service.database.write(BY_TEST, (stores) =>
      stores.orders.deleteEndedBefore(endedAt + 1, 1_000),
    );
    expect((await orders.get(order.id)).status).toBe(404);
  });
});

describe('the filter reference', () => {
  test('selects the orders with exactly this reference, in both orders', async () => {
    const ids: unknown[] = [];
    for (const reference of ['Tom', 'tom', 'Tom ', 'Tom', 'T%m', 'Tom&status=placed'])
      ids.push(((await place({ reference })).json as Order).id);
    const found = async (query: string): Promise<unknown[]> =>
      (await orders.list(query)).map(({ id }) => id);
    expect(await found('?reference=Tom')).toEqual([ids[0], ids[3]]);
    expect(await found('?reference=Tom&sort=-id')).toEqual([ids[3], ids[0]]);
    expect(await found('?reference=tom')).toEqual([ids[1]]);
    expect(await found('?reference=Tom%20')).toEqual([ids[2]]);
    expect(await found('?reference=T%25m')).toEqual([ids[4]]);
    expect(await found('?reference=Tom%26status%3Dplaced')).toEqual([ids[5]]);
    expect(await found('?reference=nobody')).toEqual([]);
  });

  test.each(['', 'x'.repeat(101), 'a%00b', 'a%0Ab'])('is 400 with the value %j', async (value) => {
    const { json } = await service.request('GET', `/v1/store/orders?reference=${value}`);
    const message = expect.stringContaining('reference: must');
    expect(json).toMatchObject({ code: 'invalid_parameter', message });
  });
});
