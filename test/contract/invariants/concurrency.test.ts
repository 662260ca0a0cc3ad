/** Simultaneous requests get the responses of some sequential order. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { Order } from '../../../src/orders/order.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import { sequencesFor } from '../../support/engines.ts';
import { EVERY } from '../../support/list-query.ts';
import { startService, useService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { anyRequestStep } from './steps.ts';

const MANY = 20;
const ROUNDS = 10;
const HOLD_MS = 60_000;
const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;

const service = useService({ options: { orderHoldMs: HOLD_MS } });
const strict = useService({ options: { requireKnownCategory: true } });

const send = (method: string, path: string, body?: unknown, headers = {}, at = service) =>
  at.request(method, `/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });
const sendMany = (sendOne: (index: number) => Promise<TestResponse>): Promise<TestResponse[]> =>
  Promise.all(Array.from({ length: MANY }, (_, index) => sendOne(index)));
const addKey = async () => `/api-keys/${(await service.issueKey()).key.id}`;
const addRex = async () => (await service.addPet(REX)).id;
const statusOf = async (id: unknown) =>
  ((await send('GET', `/pets/${id}`)).json as Pet | undefined)?.status;
const ordersFor = async (id: unknown) =>
  (await send('GET', `/store/orders?petId=${id}`)).json as Order[];

/** The number of responses for each status and error code. */
function countsOf(responses: readonly TestResponse[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, json } of responses) {
    const name = status < 400 ? `${status}` : `${status} ${(json as { code: string }).code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The outcomes of two simultaneous requests, in the order of the requests. */
async function sendBoth(one: Promise<TestResponse>, other: Promise<TestResponse>): Promise<string> {
  const responses = await Promise.all([one, other]);
  return responses.map((response) => Object.keys(countsOf([response]))[0]).join(' and ');
}

describe('an animal', () => {
  test('is changed by one of the requests with the same ETag, and the others get 412', async () => {
    const id = await addRex();
    const etag = (await send('GET', `/pets/${id}`)).headers.get('etag') ?? '';
    const responses = await sendMany((index) =>
      send('PATCH', `/pets/${id}`, { name: `Rex ${index}` }, { 'If-Match': etag }),
    );
    expect(countsOf(responses)).toEqual({ 200: 1, '412 precondition_failed': MANY - 1 });
    const changed = responses.find(({ status }) => status === 200);
    expect((await send('GET', `/pets/${id}`)).text).toBe(changed?.text ?? '');
  });

  test('is either ordered or deleted', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await addRex();
      const outcome = await sendBoth(
        send('POST', '/store/orders', { petId: id }),
        send('DELETE', `/pets/${id}`),
      );
      expect(['201 and 409 pet_reserved', '400 validation_failed and 204']).toContain(outcome);
    }
  });

  test('is either ordered or sold without an order', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await addRex();
      const outcome = await sendBoth(
        send('POST', '/store/orders', { petId: id }),
        send('PATCH', `/pets/${id}`, { status: 'sold' }),
      );
      expect(['201 and 409 pet_reserved', '409 pet_not_available and 200']).toContain(outcome);
    }
  });

  test('with an expired order is ordered by one request', async () => {
    const id = await addRex();
    await send('POST', '/store/orders', { petId: id });
    service.clock.advance(HOLD_MS);
    const responses = await sendMany(() => send('POST', '/store/orders', { petId: id }));
    expect(countsOf(responses)).toEqual({ 201: 1, '409 pet_not_available': MANY - 1 });
    expect((await ordersFor(id)).map(({ status }) => status)).toEqual(['expired', 'placed']);
    expect(await statusOf(id)).toBe('pending');
  });
});

const place = async () => {
  const { json } = await send('POST', '/store/orders', { petId: await addRex() });
  return json as Order;
};

test('an order is either delivered or cancelled, with the status of its animal', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, petId } = await place();
    await send('PATCH', `/store/orders/${id}`, { status: 'approved' });
    const outcome = await sendBoth(
      send('PATCH', `/store/orders/${id}`, { status: 'delivered' }),
      send('PATCH', `/store/orders/${id}`, { status: 'cancelled' }),
    );
    const delivered = '200 and 409 invalid_transition';
    expect([delivered, '409 invalid_transition and 200']).toContain(outcome);
    expect(await statusOf(petId)).toBe(outcome === delivered ? 'sold' : 'available');
  }
});

describe('a category', () => {
  test('is created by one request with If-None-Match: *', async () => {
    const responses = await sendMany((index) =>
      send('PUT', '/categories/79', { name: `${index}` }, { 'If-None-Match': '*' }),
    );
    expect(countsOf(responses)).toEqual({ 201: 1, '412 precondition_failed': MANY - 1 });
    const created = responses.find(({ status }) => status === 201);
    expect((await send('GET', '/categories/79')).text).toBe(created?.text ?? '');
  });

  test.each(['POST', 'PATCH'])(
    'that must be known is either deleted or given to an animal with %s',
    async (method) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const categoryId = 1_000 + round;
        const { id } = await strict.addPet(REX);
        await send('PUT', `/categories/${categoryId}`, { name: 'Dogs' }, {}, strict);
        const path = method === 'POST' ? '/pets' : `/pets/${id}`;
        const body = method === 'POST' ? { ...REX, categoryId } : { categoryId };
        const outcome = await sendBoth(
          send('DELETE', `/categories/${categoryId}`, undefined, {}, strict),
          send(method, path, body, {}, strict),
        );
        const given = `409 category_in_use and ${method === 'POST' ? 201 : 200}`;
        expect([given, '204 and 400 validation_failed']).toContain(outcome);
        await strict.request('DELETE', `/v1/categories/${categoryId}`);
      }
    },
  );
});

test('an API key is invalid after the response to its revocation, even if it is in use', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { key, secret } = await service.issueKey();
    const use = () => service.request('GET', '/v1/pets?limit=1', { key: secret });
    const used = Array.from({ length: 5 }, use);
    await send('DELETE', `/api-keys/${key.id}`);
    expect((await use()).status).toBe(401);
    await Promise.all(used);
    expect((await use()).status).toBe(401);
  }
});

test.each<[string, () => Promise<[string, string, object?]>, string]>([
  ['deletes an animal', async () => ['DELETE', `/pets/${await addRex()}`], '404 pet_not_found'],
  [
    'deletes a category',
    async () => {
      await send('PUT', '/categories/78', { name: 'Dogs' });
      return ['DELETE', '/categories/78'];
    },
    '404 category_not_found',
  ],
  ['revokes an API key', async () => ['DELETE', await addKey()], '404 key_not_found'],
  [
    'gives a successor to a key that expires with its rotation',
    async () => ['POST', `${await addKey()}/rotate`, { gracePeriodSeconds: 0 }],
    '404 key_not_found',
  ],
])('one of many requests %s', async (_what, prepare, refused) => {
  const request = await prepare();
  const accepted = request[0] === 'POST' ? 201 : 204;
  const counts = countsOf(await sendMany(() => send(...request)));
  expect(counts).toEqual({ [accepted]: 1, [refused]: MANY - 1 });
});

test('any simultaneous requests sell no animal twice, and none fails', async () => {
  const anyRequests = fc.array(anyRequestStep, { minLength: 10, maxLength: 60, size: 'max' });
  const property = fc.asyncProperty(anyRequests, async (steps) => {
    await using fresh = await startService({ options: { orderHoldMs: HOLD_MS } });
    const headers = { 'Content-Type': 'application/json' };
    for (let count = 0; count < 5; count += 1) await fresh.addPet(REX);
    const responses = await Promise.all(
      steps.map(({ method, path, body }) => {
        const sent = body === undefined ? {} : { headers, body: renderExactJson(body) };
        return fresh.request(method, `/v1${path}`, sent);
      }),
    );
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    const orders = await fresh.database.read.orders.list(EVERY, undefined, 100);
    const open = orders.filter(({ status }) => status === 'placed' || status === 'approved');
    const held = new Set(open.map(({ petId }) => petId));
    expect(held.size).toBe(open.length);
    for (const petId of held)
      expect(await fresh.database.read.pets.get(petId)).toMatchObject({ status: 'pending' });
  });
  await fc.assert(property, { numRuns: sequencesFor(8, 3) });
});
