/** After any change, by any way, the inventory equals a count of all animals. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { chain } from '../../src/maybe-promise.ts';
import type { PetStatus } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { anyStatus } from '../support/arbitraries.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { readAll, rex } from './animals.ts';
import { copy, storageOpener } from './copying.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

/** Repeat a failed walk with INVENTORY_SEED=<the seed that was printed>. */
const seed = Number(process.env['INVENTORY_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

type Status = PetStatus | undefined;

const withStatus = (status: Status) => (status === undefined ? rex() : rex({ status }));

/** @returns the number of animals */
async function expectExact(database: Database): Promise<number> {
  const expected = { available: 0, pending: 0, sold: 0, unset: 0 };
  const pets = await exportPets(database);
  for (const { status = 'unset' } of pets) expected[status] += 1;
  expect(await database.read.pets.inventory()).toEqual(expected);
  return pets.length;
}

/** A change of the catalogue. `pick` chooses one of the animals. */
type Change = (database: Database, statuses: readonly Status[], pick: number) => Promise<unknown>;

const ROLLBACK = new Error('rolled back');

const CHANGES: Readonly<Record<string, Change>> = {
  'additions in one batch': (database, statuses) =>
    Promise.all(statuses.map(async (status) => database.blind.pets.create(withStatus(status)))),

  'an addition in a transaction': (database, [status]) =>
    database.write(({ pets }) => pets.create(withStatus(status))),

  async 'a changed status'(database, [status], pick) {
    const all = await readAll(database);
    const pet = all[pick % all.length];
    if (pet)
      await database.write(({ pets }) => pets.replace({ id: pet.id, ...withStatus(status) }));
  },

  async 'a removal'(database, _statuses, pick) {
    const all = await readAll(database);
    const pet = all[pick % all.length];
    if (pet) await database.write(({ pets }) => pets.remove(pet.id));
  },

  /** Beside transactions that are committed: on SQLite they share one transaction of the file. */
  async 'a transaction that is rolled back beside others'(database, [status], pick) {
    const all = await readAll(database);
    const pet = all[pick % all.length];
    const rolledBack = database.write(({ pets }) =>
      chain(pet && pets.remove(pet.id), () =>
        chain(pets.create(withStatus(status)), () => {
          throw ROLLBACK;
        }),
      ),
    );
    const added = [1, 2].map(() => database.write(({ pets }) => pets.create(withStatus(status))));
    expect(await rolledBack.catch((error) => error)).toBe(ROLLBACK);
    await Promise.all(added);
  },

  async 'orders that expire'(database, _statuses, pick) {
    const all = await readAll(database);
    const held = all.filter((_pet, index) => index % 3 === pick % 3);
    const [createdAt, expiresAt] = [NOON, NOON + 1_000].map((ms) => new Date(ms).toISOString());
    for (const pet of held) {
      const order = { petId: pet.id, status: 'placed', createdAt, expiresAt } as const;
      await database.write(({ orders }) => orders.create(order as never));
      await database.write(({ pets }) => pets.replace({ ...pet, status: 'pending' }));
    }
    expect(await database.write(({ orders }) => orders.expire(NOON + 1_000))).toBe(held.length);
  },

  'an import': (database, statuses) => importPets(database, statuses.map(withStatus)),

  async 'an import with ids'(database, statuses) {
    const highest = (await database.write(({ pets }) => pets.create(rex()))).id as number;
    const pets = statuses.map((status, index) => ({
      id: highest + 1 + index * 2,
      ...withStatus(status),
    }));
    await importPets(database, pets);
  },

  async 'an abandoned import'(database, statuses) {
    const transfer = await database.transfer.beginImport();
    await transfer.add(statuses.map(withStatus));
    await transfer.abandon();
  },

  /** The animal that is added meanwhile takes the id of a row. */
  async 'a refused import'(database, statuses) {
    const highest = (await database.write(({ pets }) => pets.create(rex()))).id as number;
    const transfer = await database.transfer.beginImport();
    await transfer.add(statuses.map((status) => ({ id: highest + 1, ...withStatus(status) })));
    await database.write(({ pets }) => pets.create(withStatus(statuses[0])));
    await expect(transfer.commit()).rejects.toThrow();
  },

  'a compaction': async (database) => database.compactInventory(),
};

const anyChange = fc.record({
  change: fc.constantFrom(...Object.keys(CHANGES)),
  statuses: fc.array(fc.option(anyStatus, { nil: undefined }), { minLength: 1, maxLength: 9 }),
  pick: fc.nat(1_000),
});

describe.each(ENGINES)('the inventory on $name', ({ open }) => {
  let storage: TestStorage;
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.remove());

  test.each(Object.entries(CHANGES))('is exact after %s', async (_which, change) => {
    const { database } = storage;
    const statuses = ['available', 'pending', 'sold', undefined] as const;
    await importPets(database, [...statuses, ...statuses, ...statuses].map(withStatus));
    for (const [index, status] of statuses.entries()) {
      await change(database, [status, 'sold'], index);
      await expectExact(database);
    }
  });

  test(`is exact after each of many random changes (seed ${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(anyChange, { maxLength: 12 }), async (walk) => {
      for (const { change, statuses, pick } of walk) {
        await (CHANGES[change] as Change)(storage.database, statuses, pick);
        await expectExact(storage.database);
      }
    });
    await fc.assert(property, { numRuns: 15, seed });
  });

  test('is exact after a restart', async () => {
    await importPets(
      storage.database,
      ['sold', undefined, 'sold'].map((s) => withStatus(s as Status)),
    );
    expect(await expectExact(await storage.reopen())).toBe(3);
  });

  test('counts the uncommitted changes of its own transaction', async () => {
    const inventory = await storage.database.write(({ pets }) =>
      chain(pets.create(rex({ status: 'sold' })), () => pets.inventory()),
    );
    expect(inventory).toEqual({ available: 0, pending: 0, sold: 1, unset: 0 });
  });
});

const openStorage = storageOpener();

test.each(ENGINES.flatMap((from) => ENGINES.map((to) => [from.name, to.name, from, to] as const)))(
  'the inventory is exact after a copy from %s to %s, and after a change of the copy',
  async (_from, _to, from, to) => {
    const source = await openStorage(from);
    const target = await openStorage(to);
    await importPets(
      source.database,
      ['sold', 'pending', undefined].map((s) => withStatus(s as Status)),
    );
    await copy(source, target.database);
    expect(await expectExact(target.database)).toBe(3);
    await target.database.write(({ pets }) => pets.remove(2));
    expect(await expectExact(target.database)).toBe(2);
  },
);
