/** Several instances on one PostgreSQL database give the same guarantees as one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../../src/orders/order.ts';
import { StreamReader } from '../support/event-stream.ts';
import { bearer, parseLog, postPet, until } from '../support/process.ts';
import { INSTANCES, type Instances, removeInstances, startInstances } from './instances.ts';

const CLIENTS = 16;
const ANIMALS = 8;

/** How long an instance may accept a key that another instance revoked. */
const KEY_CACHE_MS = 5_000;

/** The environment of all tests that need a key: each looks only at animals of its own. */
let shared: Instances;
beforeAll(async () => {
  shared = await startInstances();
});
afterAll(() => removeInstances(shared));

async function getJson<T>(origin: string, key: string, path: string): Promise<T> {
  return (await (await fetch(`${origin}/v1${path}`, bearer(key))).json()) as T;
}

const post = (origin: string, key: string, path: string, body: unknown, headers = {}) =>
  fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { ...bearer(key).headers, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Adds animals that are available, and returns their ids. */
async function addAnimals(): Promise<number[]> {
  const { origins, key } = shared;
  const pet = { name: 'Rex', categoryId: 1, status: 'available' };
  const ids: number[] = [];
  while (ids.length < ANIMALS) {
    const added = await postPet(origins[0] ?? '', key, pet);
    ids.push(((await added.json()) as { id: number }).id);
  }
  return ids;
}

type Counts = Readonly<Record<'available' | 'pending' | 'sold' | 'unset', number>>;

const countAt = (origin = ''): Promise<Counts> => getJson(origin, shared.key, '/store/inventory');

const ordersAt = (origin: string, path = ''): Promise<Order[]> =>
  getJson(origin, shared.key, `/store/orders?limit=100${path}`);

test.concurrent(`${CLIENTS} clients that order the same ${ANIMALS} animals on ${INSTANCES} instances place ${ANIMALS} orders, and get 409 otherwise`, async () => {
  const ids = await addAnimals();
  const { origins, key } = shared;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const statuses: [number, number][] = [];
    for (let turn = 0; turn < ANIMALS; turn += 1) {
      const petId = ids[(client + turn) % ANIMALS] ?? 0;
      const origin = origins[(client + turn) % INSTANCES] ?? '';
      const response = await post(origin, key, '/store/orders', { petId });
      await response.arrayBuffer();
      statuses.push([response.status, petId]);
    }
    return statuses;
  });
  const all = (await Promise.all(clients)).flat();
  const placed = all.filter(([status]) => status === 201).map(([, petId]) => petId);
  expect(placed.sort((a, b) => a - b)).toEqual(ids);
  expect(all.filter(([status]) => status === 409)).toHaveLength(CLIENTS * ANIMALS - ANIMALS);
  for (const origin of origins) {
    expect(await countAt(origin)).toMatchObject({ available: 0, pending: ANIMALS });
    const orders = await ordersAt(origin);
    expect(orders.map(({ petId }) => Number(petId)).sort((a, b) => a - b)).toEqual(ids);
  }
});

test.concurrent('a request with an Idempotency-Key that all instances receive simultaneously is executed once, and gets identical responses', async () => {
  const { origins, key } = shared;
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) {
    const send = (origin: string) =>
      post(
        origin,
        key,
        '/pets',
        { name: `Rex ${round}`, categoryId: 1, status: 'sold' },
        {
          'Idempotency-Key': `round ${round}`.replace(' ', '-'),
        },
      );
    const atOnce = await Promise.all(origins.map(send));
    const later = await Promise.all(origins.map(send));
    const bodies = await Promise.all([...atOnce, ...later].map((response) => response.text()));
    expect([...atOnce, ...later].map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(bodies).size).toBe(1);
    const isFirst = ({ headers }: Response) => headers.get('idempotency-replayed') === null;
    expect(atOnce.filter(isFirst)).toHaveLength(1);
    expect(later.filter(isFirst)).toHaveLength(0);
  }
  expect(await countAt(origins[0])).toMatchObject({ sold: rounds });
});

test.concurrent('many animals that all instances add simultaneously are all stored, each batch in order and once', async () => {
  const { origins, key } = shared;
  const names = Array.from({ length: 12 }, (_, index) => `batch-${index}`);
  const add = async (name: string, origin = '') => {
    const pets = Array.from({ length: 50 }, (_, categoryId) => ({ name, categoryId }));
    const response = await post(origin, key, '/pet-batches', { pets }, { 'Idempotency-Key': name });
    expect(response.status).toBe(201);
    return response.text();
  };
  // Each batch is sent to two instances.
  const added = await Promise.all(
    names.map((name, index) =>
      Promise.all([0, 1].map((next) => add(name, origins[(index + next) % INSTANCES]))),
    ),
  );
  const pets = added.flatMap(([one = '', other]) => {
    expect(other).toBe(one);
    const batch = JSON.parse(one) as { id: number; categoryId: number }[];
    expect(batch.map(({ categoryId }) => categoryId)).toEqual(
      Array.from({ length: 50 }, (_, at) => at),
    );
    expect(batch).toEqual(batch.toSorted((a, b) => a.id - b.id));
    return batch;
  });
  const stored: unknown[] = [];
  for (let last = 0; last < names.length * 50; last += 100) {
    const ids = pets
      .map(({ id }) => id)
      .toSorted((a, b) => a - b)
      .slice(last, last + 100);
    stored.push(
      ...(await getJson<unknown[]>(
        origins[0] ?? '',
        key,
        `/pets?limit=100&id=${ids.join('&id=')}`,
      )),
    );
  }
  expect(stored).toEqual(pets.toSorted((a, b) => a.id - b.id));
  expect(await countAt(origins[0])).toMatchObject({ unset: 600 });
});

test.concurrent('a key that is revoked on one instance is rejected there immediately, and on the others soon', async () => {
  const { origins, key } = shared;
  const made = await post(origins[0] ?? '', key, '/api-keys', {
    name: 'till',
    scopes: ['pets:read'],
  });
  const till = (await made.json()) as { id: number; key: string };
  const statusAt = async (origin: string) => {
    const response = await fetch(`${origin}/v1/pets`, bearer(till.key));
    await response.arrayBuffer();
    return response.status;
  };
  expect(await Promise.all(origins.map(statusAt))).toEqual([200, 200, 200]);
  const revoked = await fetch(`${origins[0]}/v1/api-keys/${till.id}`, {
    method: 'DELETE',
    ...bearer(key),
  });
  expect(revoked.status).toBe(204);
  expect(await statusAt(origins[0] ?? '')).toBe(401);
  await sleep(KEY_CACHE_MS);
  expect(await Promise.all(origins.map(statusAt))).toEqual([401, 401, 401]);
});

test('an event of one instance arrives in the streams of all', async () => {
  const { origins, key } = shared;
  const readers = await Promise.all(
    origins.map(
      async (origin) => new StreamReader(await fetch(`${origin}/v1/events/stream`, bearer(key))),
    ),
  );
  await until(() => readers.every(({ lastId }) => lastId !== undefined));
  const added = await postPet(origins[0] ?? '', key, { name: 'Streamed', categoryId: 1 });
  const { id } = (await added.json()) as { id: number };
  const isThere = ({ json }: StreamReader) => json.some(({ subject }) => subject === `pets/${id}`);
  await until(() => readers.every(isThere));
  for (const reader of readers) await reader.close();
  await fetch(`${origins[0]}/v1/pets/${id}`, { ...bearer(key), method: 'DELETE' });
});

test('orders that are due expire once, on any instance', async () => {
  const ids = await addAnimals();
  const { origins, key, scratch, instances } = shared;
  const [origin = ''] = origins;
  for (const petId of ids) {
    const place = origins[petId % INSTANCES] ?? '';
    expect((await post(place, key, '/store/orders', { petId })).status).toBe(201);
  }
  const { available } = await countAt(origin);
  await scratch.sql`UPDATE animal_store.orders SET expires_at = ${Date.now() - 1}
      WHERE pet_id = ANY(${ids})`;
  await until(async () => {
    const open = await ordersAt(origin, '&status=placed');
    return !open.some(({ petId }) => ids.includes(Number(petId)));
  });
  expect(await countAt(origin)).toMatchObject({ available: available + ANIMALS });
  const outcomes = await Promise.all(instances.map(({ stop }) => stop()));
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
  const counts = outcomes
    .flatMap(({ stdout }) => parseLog(stdout))
    .filter((line) => line['event.name'] === 'orders_expired')
    .map((line) => Number(line['animal_store.order.count']));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ANIMALS);
});

test(`${INSTANCES} instances that start simultaneously on an empty database create one first key`, async () => {
  const environment = await startInstances(false);
  try {
    const outcomes = await Promise.all(environment.instances.map(({ stop }) => stop()));
    const keys = outcomes.flatMap(({ stderr }) => stderr.match(/^ {2}ask_live_\w+$/gm) ?? []);
    expect(keys).toHaveLength(1);
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(new Set(environment.origins).size).toBe(INSTANCES);
  } finally {
    await removeInstances(environment);
  }
});
