/** Orders in real processes: no animal is sold twice, and holds expire across restarts. */
import { expect, test } from 'bun:test';
import type { Order } from '../../src/orders/order.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../support/cause.ts';
import { createKey } from '../support/create-key.ts';
import { post, postPet, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { Connection, getJson, jsonRequest, type RawResponse } from './connection.ts';

const place = useEach(workplace);

const CLIENTS = 32;
const ANIMALS = 8;
const QUIET = ['--log-level', 'error'];

/** With a key that no other request has. */
const orderRequest = (key: string, target: string, body: object) =>
  jsonRequest(key, target, JSON.stringify(body), `Idempotency-Key: ${crypto.randomUUID()}`);

/** Sends the requests of all clients simultaneously, each on its own connection, alternating between the servers. */
async function sendSimultaneously(
  origins: readonly string[],
  requestsOf: (client: number) => readonly string[],
): Promise<RawResponse[]> {
  const connections = await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      Connection.open(origins[client % origins.length] ?? ''),
    ),
  );
  const responses = await Promise.all(
    connections.map(async (connection, client) => {
      const received: RawResponse[] = [];
      for (const request of requestsOf(client)) {
        connection?.send(request);
        const response = await connection?.response();
        if (response) received.push(response);
      }
      connection?.close();
      return received;
    }),
  );
  return responses.flat();
}

test(`${CLIENTS} clients that simultaneously order the same ${ANIMALS} animals from two servers on one file place ${ANIMALS} orders, and get 409 otherwise`, async () => {
  await using first = await startService(place.database, QUIET);
  await using second = await startService(place.database, QUIET);
  const key = first.firstKey ?? '';
  const origins = [first.origin, second.origin];
  for (let count = 0; count < ANIMALS; count += 1)
    await postPet(first.origin, key, { name: 'Rex', categoryId: 1, status: 'available' });

  const orders = await sendSimultaneously(origins, (client) =>
    Array.from({ length: ANIMALS }, (_, index) =>
      orderRequest(key, 'POST /v1/store/orders', { petId: ((client + index) % ANIMALS) + 1 }),
    ),
  );
  const placed = orders.filter(({ status }) => status === 201);
  expect(placed).toHaveLength(ANIMALS);
  const refused = orders.filter(({ status }) => status !== 201);
  expect(refused.map(({ body }) => JSON.parse(body).code)).toEqual(
    Array(CLIENTS * ANIMALS - ANIMALS).fill('pet_not_available'),
  );
  const petIds = placed.map(({ body }) => (JSON.parse(body) as { petId: number }).petId);
  expect(petIds.sort()).toEqual(Array.from({ length: ANIMALS }, (_, index) => index + 1));

  const [{ id } = { id: 0 }] = await getJson<Order[]>(first.origin, key, '/store/orders');
  const path = `PATCH /v1/store/orders/${id}`;
  for (const status of ['approved', 'delivered']) {
    const moves = await sendSimultaneously(origins, () => [orderRequest(key, path, { status })]);
    expect(new Set(moves.map(({ body }) => body))).toHaveLength(1);
    expect(moves[0]).toMatchObject({ status: 200, body: expect.stringContaining(status) });
  }

  for (const origin of origins) {
    expect(await getJson(origin, key, '/store/inventory')).toEqual({
      available: 0,
      pending: ANIMALS - 1,
      sold: 1,
      unset: 0,
    });
    expect(await getJson<Order[]>(origin, key, '/store/orders')).toHaveLength(ANIMALS);
  }
});

test('a hold survives a restart, and expires whether it is due before or after the start', async () => {
  const { database } = place;
  const key = await createKey(database);
  const reserve = (origin: string, petId: number) => post(origin, key, '/store/orders', { petId });
  await using first = await startService(database, QUIET);
  for (const petId of [1, 2, 3]) {
    await postPet(first.origin, key, { name: 'Rex', categoryId: 1, status: 'available' });
    expect((await reserve(first.origin, petId)).status).toBe(201);
  }
  await first.stop();
  await setExpiry(database, { 1: -1, 2: 1_500 });
  await using service = await startService(database, QUIET);
  const { origin } = service;
  for (const id of [1, 2])
    await until(async () => {
      const { status } = await getJson<Order>(origin, key, `/store/orders/${id}`);
      return status === 'expired';
    });
  expect(await getJson(origin, key, '/store/orders/3')).toMatchObject({ status: 'placed' });
  expect(await getJson(origin, key, '/store/inventory')).toMatchObject({
    available: 2,
    pending: 1,
  });
  expect((await reserve(origin, 1)).status).toBe(201);
  expect((await reserve(origin, 3)).status).toBe(409);
});

/** Sets the expiry of orders, in milliseconds from now by id. */
async function setExpiry(path: string, inMs: Readonly<Record<number, number>>): Promise<void> {
  const database = openSqlite(path);
  try {
    for (const [id, ms] of Object.entries(inMs)) {
      const order = await database.read.orders.get(Number(id));
      if (order === undefined) throw new Error(`There is no order ${id}.`);
      const ended = { ...order, expiresAt: new Date(Date.now() + ms).toISOString() };
      await database.write(BY_TEST, ({ orders }) => orders.replace(ended));
    }
  } finally {
    await database.close();
  }
}
