/** The newest time in a catalogue, with which a start compares the clock. */
import { expect, test } from 'bun:test';
import { chain, type MaybePromise } from '../../src/maybe-promise.ts';
import type { Stores } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { storageOpener } from './copying.ts';
import { newKey } from './new-key.ts';

const open = storageOpener();

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 10, 23, 12);

/** What stores a time, besides the creation of an API key. */
const WRITES: Readonly<Record<string, (stores: Stores, time: number) => MaybePromise<unknown>>> = {
  'the last order': ({ orders }, time) => {
    const order = (createdAt: number) =>
      orders.create({
        petId: 1,
        status: 'cancelled',
        createdAt: new Date(createdAt).toISOString(),
      });
    return chain(order(NOON - HOUR_MS), () => order(time));
  },
  'a revoked key': ({ apiKeys }, time) => apiKeys.revoke(1, time),
  'the use of a key': ({ usage }, lastCalledAt) =>
    usage.add([{ keyId: 1, operationId: 'listPets', calls: 1, lastCalledAt }]),
  'an idempotency record': ({ idempotencyRecords }, savedAt) =>
    idempotencyRecords.save(
      { keyId: 1, operation: 'POST /v1/pets', idempotencyKey: 'a' },
      { fingerprint: new Uint8Array(32), response: new Uint8Array(1), savedAt },
    ),
};

test.each(ENGINES)('is undefined in an empty catalogue ($name)', async (engine) => {
  const { database } = await open(engine);
  expect(await database.newestTime()).toBeUndefined();
});

test.each(ENGINES)('is not an expiry, which is in the future ($name)', async (engine) => {
  const { database } = await open(engine);
  await database.write(BY_TEST, ({ apiKeys }) =>
    apiKeys.create(newKey('k', { createdAt: NOON, expiresAt: NOON + HOUR_MS })),
  );
  await database.write(BY_TEST, ({ apiKeys }) => apiKeys.endBy(1, NOON + HOUR_MS));
  expect(await database.newestTime()).toBe(NOON);
});

test.each(
  ENGINES.flatMap((engine) =>
    Object.keys(WRITES).map((what) => [what, engine.name, engine] as const),
  ),
)('is that of %s (%s)', async (what, _name, engine) => {
  const { database } = await open(engine);
  const write = WRITES[what] as (typeof WRITES)[string];
  await database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey('k', { createdAt: NOON })));
  await database.write(BY_TEST, (stores) => write(stores, NOON + HOUR_MS));
  expect(await database.newestTime()).toBe(NOON + HOUR_MS);
});
