/** The reference and the note of an order: placeOrder, updateOrder. */
import { describe, expect, test } from 'bun:test';
import type { Order } from '../../../src/orders/order.ts';
import { ORDER_STATUSES } from '../../../src/orders/order-states.ts';
import { useService } from '../../support/service.ts';
import { orderRequests } from '../order-requests.ts';

const service = useService();
const orders = orderRequests(service);

const TEXTS = { reference: 'R-1', note: 'For Ann.\nCall first.' };

/** Places an order with these fields for a new animal. */
const place = async (fields: object) => orders.place((await orders.addPet()).id, fields);

/** Valid and invalid values of each text. */
const VALUES = {
  reference: {
    valid: [
      ...['x', ' ', 'x'.repeat(100), '🐕'.repeat(100), '"\\\u2028', "'; DROP TABLE orders; --"],
      ...['é', 'e\u0301', '\u200fשרה\u200e'],
    ],
    ofWrongLength: ['', 'x'.repeat(101), '🐕'.repeat(101)],
    lengthProblem: 'must have 1 to 100 characters',
    ofWrongCharacters: ['a\nb', 'a\u0000', '\u001b[2J', '\u007f', '\u0085', '\u202e'],
    characterProblem: 'must not contain control characters',
  },
  note: {
    valid: ['x', '\n', 'x'.repeat(1_000), '🐕'.repeat(1_000), 'a\n\nb'],
    ofWrongLength: ['', 'x'.repeat(1_001)],
    lengthProblem: 'must have 1 to 1000 characters',
    ofWrongCharacters: ['a\r\nb', 'a\tb', '\u0000', '\u2066'],
    characterProblem: 'must not contain control characters other than line feeds',
  },
} as const;
const NAMES = ['reference', 'note'] as const;

describe.each(NAMES)('the field %s', (name) => {
  const { valid, ofWrongLength, lengthProblem, ofWrongCharacters, characterProblem } = VALUES[name];

  test.each(valid.map((text) => [text]))(
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

  test.each([
    ...ofWrongLength.map((text) => [text, lengthProblem] as const),
    ...ofWrongCharacters.map((text) => [text, characterProblem] as const),
  ])(
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

test.each(
  ORDER_STATUSES.flatMap((status) => [
    [status, {}],
    [status, { status }],
  ]),
)(
  'a patch of the texts of an order that is %s changes nothing else, with %j',
  async (status, also) => {
    const order = await orders.addOrder(status);
    const pet = await orders.pet(order.petId);
    service.clock.advance(1);
    const { json, etag } = await orders.patch(order.id, { ...also, ...TEXTS });
    expect(json).toEqual({ ...order, ...TEXTS });
    const stored = await orders.get(order.id);
    expect(stored.json).toEqual({ ...order, ...TEXTS });
    expect(stored.headers.get('etag')).toBe(etag);
    expect(await orders.pet(order.petId)).toEqual(pet);
  },
);
