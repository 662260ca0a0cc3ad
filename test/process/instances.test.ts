/** Several instances on one PostgreSQL database give the same guarantees as one. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import type { Order } from '../../src/orders/order.ts';
import { openScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import {
  bearer,
  commandOf,
  parseLog,
  postPet,
  type RunningService,
  startCommand,
  TEST_LIMIT_MS,
} from '../support/process.ts';

const INSTANCES = 3;
const CLIENTS = 64;
const ANIMALS = 8;

/** How long an instance may accept a key that another instance revoked. */
const KEY_CACHE_MS = 5_000;

interface Environment {
  readonly scratch: Scratch;
  readonly instances: readonly RunningService[];
  readonly origins: readonly string[];
  /** A key with all scopes. */
  readonly key: string;
}

/** Gives a test three instances that start simultaneously on a new database, with or without a key. */
const withEnvironment =
  (work: (environment: Environment) => Promise<void>, hasKey = true) =>
  async () => {
    const scratch = await openScratch();
    const key = hasKey ? await createKey(scratch.url, SCOPES) : '';
    const command = commandOf('serve', '--database', scratch.url, '--port', '0');
    const instances = await Promise.all(
      Array.from({ length: INSTANCES }, () => startCommand(command, { showsKey: false })),
    );
    try {
      await work({ scratch, instances, origins: instances.map(({ origin }) => origin), key });
    } finally {
      for (const instance of instances) instance.signal('SIGKILL');
      await Promise.all(instances.map(({ ended }) => ended()));
      await scratch.remove();
    }
  };

async function getJson<T>(origin: string, key: string, path: string): Promise<T> {
  return (await (await fetch(`${origin}/v1${path}`, bearer(key))).json()) as T;
}

const post = (origin: string, key: string, path: string, body: unknown, headers = {}) =>
  fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { ...bearer(key).headers, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function addAnimals({ origins: [origin = ''], key }: Environment): Promise<void> {
  for (let count = 0; count < ANIMALS; count += 1)
    await postPet(origin, key, { name: 'Rex', categoryId: 1, status: 'available' });
}

/** Stops the instances, and returns their logs. */
async function logs({ instances }: Environment) {
  const outcomes = await Promise.all(instances.map(({ stop }) => stop()));
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
  return outcomes.flatMap(({ stdout }) => parseLog(stdout));
}

test(
  `${CLIENTS} clients that order the same ${ANIMALS} animals on ${INSTANCES} instances place ${ANIMALS} orders, and get 409 otherwise`,
  withEnvironment(async (environment) => {
    await addAnimals(environment);
    const { origins, key } = environment;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const statuses: [number, number][] = [];
      for (let turn = 0; turn < ANIMALS; turn += 1) {
        const petId = ((client + turn) % ANIMALS) + 1;
        const origin = origins[(client + turn) % INSTANCES] ?? '';
        const response = await post(origin, key, '/store/orders', { petId });
        await response.arrayBuffer();
        statuses.push([response.status, petId]);
      }
      return statuses;
    });
    const all = (await Promise.all(clients)).flat();
    const placed = all.filter(([status]) => status === 201).map(([, petId]) => petId);
    expect(placed.sort()).toEqual(Array.from({ length: ANIMALS }, (_, index) => index + 1));
    expect(all.filter(([status]) => status === 409)).toHaveLength(CLIENTS * ANIMALS - ANIMALS);
    for (const origin of origins) {
      expect(await getJson(origin, key, '/store/inventory')).toEqual({
        available: 0,
        pending: ANIMALS,
        sold: 0,
        unset: 0,
      });
      expect(await getJson<Order[]>(origin, key, '/store/orders')).toHaveLength(ANIMALS);
    }
  }),
  TEST_LIMIT_MS,
);

test(
  'a request with an Idempotency-Key that all instances receive simultaneously is executed once, and gets identical responses',
  withEnvironment(async ({ origins, key }) => {
    const rounds = 10;
    for (let round = 0; round < rounds; round += 1) {
      const send = (origin: string) =>
        post(
          origin,
          key,
          '/pets',
          { name: `Rex ${round}`, categoryId: 1 },
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
    expect(await getJson(origins[0] ?? '', key, '/pets')).toHaveLength(rounds);
  }),
  TEST_LIMIT_MS,
);

test(
  'many animals that all instances add simultaneously are all stored, each batch in order and once',
  withEnvironment(async ({ origins, key }) => {
    const names = Array.from({ length: 12 }, (_, index) => `batch-${index}`);
    const add = async (name: string, origin = '') => {
      const pets = Array.from({ length: 50 }, (_, categoryId) => ({ name, categoryId }));
      const response = await post(
        origin,
        key,
        '/pets:batchCreate',
        { pets },
        { 'Idempotency-Key': name },
      );
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
    expect(await getJson(origins[0] ?? '', key, '/store/inventory')).toMatchObject({ unset: 600 });
  }),
  TEST_LIMIT_MS,
);

test(
  'a key that is revoked on one instance is rejected there immediately, and on the others soon',
  withEnvironment(async ({ origins, key }) => {
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
  }),
  TEST_LIMIT_MS,
);

test(
  'orders that are due expire once, on any instance',
  withEnvironment(async (environment) => {
    await addAnimals(environment);
    const { origins, key, scratch } = environment;
    for (let petId = 1; petId <= ANIMALS; petId += 1) {
      const response = await post(origins[petId % INSTANCES] ?? '', key, '/store/orders', {
        petId,
      });
      expect(response.status).toBe(201);
    }
    await scratch.sql`UPDATE animal_store.orders SET expires_at = ${Date.now() - 1}`;
    const [origin = ''] = origins;
    const path = '/store/orders?status=placed';
    while ((await getJson<Order[]>(origin, key, path)).length > 0) await sleep(20);
    expect(await getJson(origin, key, '/store/inventory')).toMatchObject({ available: ANIMALS });
    const ended = (await logs(environment)).filter(
      (line) => line['event.name'] === 'orders_expired',
    );
    const counts = ended.map((line) => Number(line['animal_store.order.count']));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ANIMALS);
  }),
  TEST_LIMIT_MS,
);

test(
  `${INSTANCES} instances that start simultaneously on an empty database create one first key`,
  withEnvironment(async ({ instances, origins }) => {
    const outcomes = await Promise.all(instances.map(({ stop }) => stop()));
    const keys = outcomes.flatMap(({ stderr }) => stderr.match(/^ {2}ask_live_\w+$/gm) ?? []);
    expect(keys).toHaveLength(1);
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(new Set(origins).size).toBe(INSTANCES);
  }, false),
  TEST_LIMIT_MS,
);
