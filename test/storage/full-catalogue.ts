import { hashKey } from '../../src/api-keys/api-key.ts';
import { type IssuedKey, Keyring } from '../../src/api-keys/keyring.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import type { IdempotencyScope } from '../../src/idempotency/idempotency-record-store.ts';
import type { Order } from '../../src/orders/order.ts';
import { ORDER_STATUSES, type OrderStatus, timesOf } from '../../src/orders/order-states.ts';
import { type NewPet, PET_STATUSES } from '../../src/pets/pet.ts';
import { runSteps, type Steps, wait } from '../../src/steps.ts';
import type { Database, Stores } from '../../src/storage/database.ts';
import type { WebhookStore } from '../../src/webhooks/webhook-store.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { EVERY } from '../support/list-query.ts';
import { readAll, rex } from './animals.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

/** The highest id ever assigned to an animal. The animal is removed. */
export const HIGHEST_ID = 2n ** 60n;

/** The numbers of rows in the status at noon. */
export const CONTENTS = {
  pets: { available: 1, pending: 3, sold: 1, unset: 34 },
  categories: 13,
  orders: { placed: 1, approved: 1, delivered: 1, cancelled: 1, expired: 1 },
  apiKeys: { active: 2, expired: 2, revoked: 1 },
  idempotencyRecords: 4,
};

/** Names that an engine may misinterpret. */
const ODD_NAMES = [
  'NULL',
  'null',
  '{}',
  '"',
  "'; DROP TABLE pets; --",
  '\\',
  '\\x00',
  '\\N',
  '{"a","b"}',
  'a,b',
  ' padded ',
  'tab\tand\nline\r\n',
  '$1',
  '?',
  '%s',
  'é and e\u0301',
  '🐕‍🦺'.repeat(20),
  '\u{10ffff}',
  '\u0001\u001f\u007f',
  'x'.repeat(255),
  '🐕'.repeat(255),
];

/** The keyring of the catalogue, at noon. */
export const noonKeyring = new Keyring({
  clock: { now: () => NOON },
  environment: 'production',
});

const orderOf = (status: OrderStatus, petId: number): Omit<Order, 'id'> => ({
  petId,
  status,
  createdAt: new Date(NOON).toISOString(),
  ...(status === 'placed' ? { expiresAt: new Date(NOON + 1).toISOString() } : {}),
  ...timesOf(status, new Date(NOON + 2).toISOString()),
  ...(petId % 2 === 0 ? { reference: '🐕'.repeat(100), note: '"\\\n'.repeat(333) } : {}),
});

const SCOPE: IdempotencyScope = { keyId: 1, operation: 'POST /v1/pets', idempotencyKey: 'one' };
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Adds rows to every table, with odd values where possible. Returns a valid API key. */
export async function fillCatalogue({ write, ...database }: Database): Promise<IssuedKey> {
  const animals = [
    // The orders hold the first animals.
    ...ODD_NAMES.map((name, index) => rex({ name, ...(index < 2 ? { status: 'pending' } : {}) })),
    ...INT64_EDGES.map((edge) => rex({ categoryId: int64(edge) })),
    ...PET_STATUSES.map((status) => rex({ status })),
  ];
  await write(BY_TEST, (stores) => runSteps(addCatalogue(stores, animals)));
  const issued = await addKeys(write);
  await write(BY_TEST, (stores) => runSteps(addTraces(stores)));
  const highIds = [2n ** 53n + 1n, HIGHEST_ID - 1n, HIGHEST_ID].map(int64);
  await importPets(
    { write, ...database },
    highIds.map((id) => ({ ...rex(), id })),
  );
  // Some events have their positions, and others wait for them.
  await database.read.events.feed();
  await write(BY_TEST, ({ webhooks }) => runSteps(addWebhook(webhooks)));
  await write(BY_TEST, ({ pets }) => pets.remove(int64(HIGHEST_ID)));
  return issued;
}

function* addCatalogue(
  { pets, categories, orders }: Stores,
  animals: readonly NewPet[],
): Steps<void> {
  yield* wait(pets.createAll(animals));
  for (const id of INT64_EDGES.map(int64)) yield* wait(categories.create({ id, name: `${id}` }));
  for (const [index, status] of ORDER_STATUSES.entries())
    yield* wait(orders.create(orderOf(status, index + 1)));
}

/** What requests leave behind: usage and idempotency records. */
function* addTraces({ usage, idempotencyRecords }: Stores): Steps<void> {
  const counted = { keyId: 1, calls: 2 ** 40, lastCalledAt: NOON };
  const operations = ['listPets', 'ListPets', 'a_b', 'a-b'];
  yield* wait(usage.add(operations.map((operationId) => ({ ...counted, operationId }))));
  const record = { fingerprint: hashKey('x'), response: EVERY_BYTE, savedAt: NOON };
  for (const idempotencyKey of ['one', 'ONE', '~', ' "\\'])
    yield* wait(idempotencyRecords.save({ ...SCOPE, idempotencyKey }, record));
}

/** Adds an endpoint with a secret and a delivery. */
function* addWebhook(webhooks: WebhookStore): Steps<void> {
  const endpoint = yield* wait(
    webhooks.add({
      url: 'https://shop.test/hook',
      types: 'pets.imported',
      status: 'enabled',
      createdAt: new Date(NOON).toISOString(),
    }),
  );
  const { id } = endpoint;
  const secret = { endpointId: id, secret: EVERY_BYTE, createdAt: NOON };
  yield* wait(webhooks.addSecret(secret));
  yield* wait(webhooks.endSecrets(id, NOON + 1));
  yield* wait(webhooks.addSecret(secret));
  yield* wait(webhooks.replay(endpoint, { after: 0, until: 2 * NOON, onlyFailed: false }, NOON, 9));
  for (const delivery of yield* wait(webhooks.claim(id, 9, NOON, NOON + 9))) {
    const result = { status: 'failed', attempts: 10, nextAt: null, attemptedAt: NOON } as const;
    const response = { durationMs: 7, lastStatus: 500, lastError: 'unsuccessful_status' };
    yield* wait(webhooks.settle(delivery.id, NOON + 9, { ...result, ...response }));
  }
  yield* wait(webhooks.setFailing(id, NOON));
  const failing = yield* wait(webhooks.get(id));
  if (failing)
    yield* wait(webhooks.replace({ ...failing, status: 'disabled', disabledReason: 'requested' }));
}

async function addKeys(write: Database['write']): Promise<IssuedKey> {
  const create = (name: string, expiresAt: number | null) =>
    write(BY_TEST, ({ apiKeys }) =>
      noonKeyring.create(apiKeys, { name, scopes: name === '' ? [] : SCOPES, expiresAt }),
    );
  const issued = await create('till', null);
  const [rotated, revoked] = [await create('"', NOON + 9), await create('🔑', NOON)];
  await create('', null);
  await write(BY_TEST, ({ apiKeys }) =>
    noonKeyring.rotate(apiKeys, rotated.key.id, { graceMs: 60_000 }),
  );
  await write(BY_TEST, ({ apiKeys }) => noonKeyring.revoke(apiKeys, revoked.key.id));
  return issued;
}

export async function readEverything(database: Database) {
  const { read, write } = database;
  const record = await write(BY_TEST, ({ idempotencyRecords }) => idempotencyRecords.find(SCOPE));
  return {
    pets: await readAll(database, 1_000),
    inventory: await read.pets.inventory(),
    counts: await read.pets.inventoriesOf(INT64_EDGES.map(int64)),
    categories: await read.categories.list(EVERY, undefined, 100),
    orders: await read.orders.list(EVERY, undefined, 100),
    hasEnds: [
      await read.orders.hasEndedBefore(NOON + 2),
      await read.orders.hasEndedBefore(NOON + 3),
    ],
    keys: await read.apiKeys.list(undefined, 100),
    endpoints: await read.webhooks.listEndpoints(undefined, 100),
    secrets: (await read.webhooks.allSecrets()).map((one) => ({ ...one, secret: [...one.secret] })),
    deliveries: await read.webhooks.listDeliveries(1, undefined, 100),
    usage: await read.usage.list(),
    daily: await read.usage.listDays(0),
    record: record && {
      ...record,
      fingerprint: [...record.fingerprint],
      response: [...record.response],
    },
  };
}
