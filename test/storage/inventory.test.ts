/** After any change, by any way, the inventory equals a count of all animals, and that of each category a count of its animals. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Int64 } from '../../src/int64.ts';
import { chain } from '../../src/maybe-promise.ts';
import type { NewPet, Pet, PetStatus } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { int64 } from '../support/arbitraries.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { readAll, rex } from './animals.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

/** Repeat a failed walk with INVENTORY_SEED=<the seed that was printed>. */
const seed = Number(process.env['INVENTORY_SEED'] ?? crypto.getRandomValues(new Int32Array(1))[0]);

type Status = PetStatus | undefined;

const animal = (categoryId: Int64, status: Status): NewPet =>
  status === undefined ? rex({ categoryId }) : rex({ categoryId, status });

/** Doubles cannot tell the last two apart. No animal belongs to the first one. */
const CATEGORIES = [4, 1, 2, -3, 2n ** 53n + 1n, 2n ** 53n + 2n].map((id) => int64(BigInt(id)));

const zeros = () => ({ available: 0, pending: 0, sold: 0, unset: 0 });

async function expectExact(database: Database): Promise<void> {
  const all = zeros();
  const byCategory = new Map(CATEGORIES.map((id) => [id, zeros()]));
  for (const { categoryId, status = 'unset' } of await exportPets(database)) {
    all[status] += 1;
    (byCategory.get(categoryId) ?? zeros())[status] += 1;
  }
  const { pets: reader } = database.read;
  expect(await reader.inventory()).toEqual(all);
  expect(await reader.inventoriesOf(CATEGORIES)).toEqual([...byCategory.values()]);
  const [unknown, known] = CATEGORIES as [Int64, Int64];
  expect(await reader.inventory(unknown)).toEqual(zeros());
  expect(await reader.inventory(known)).toEqual(byCategory.get(known) ?? zeros());
}

/** A change of the catalogue. `pick` chooses one of the animals. */
type Change = (database: Database, animals: readonly NewPet[], pick: number) => Promise<unknown>;

const ROLLBACK = new Error('rolled back');

async function picked(database: Database, pick: number): Promise<Pet | undefined> {
  const all = await readAll(database);
  return all[pick % all.length];
}

const CHANGES: Readonly<Record<string, Change>> = {
  'additions in one batch': (database, animals) =>
    Promise.all(animals.map((added) => database.addPet(BY_TEST, added))),

  'an addition in a transaction': (database, [added = rex()]) =>
    database.write(BY_TEST, ({ pets }) => pets.create(added)),

  async 'a changed status and category'(database, [changed = rex()], pick) {
    const pet = await picked(database, pick);
    if (pet) await database.write(BY_TEST, ({ pets }) => pets.replace({ id: pet.id, ...changed }));
  },

  async 'a changed category'(database, [{ categoryId } = rex()], pick) {
    const pet = await picked(database, pick);
    if (pet) await database.write(BY_TEST, ({ pets }) => pets.replace({ ...pet, categoryId }));
  },

  async 'a removal'(database, _animals, pick) {
    const pet = await picked(database, pick);
    if (pet) await database.write(BY_TEST, ({ pets }) => pets.remove(pet.id));
  },

  /** Beside transactions that are committed: on SQLite they share one transaction of the file. */
  async 'a transaction that is rolled back beside others'(database, [added = rex()], pick) {
    const pet = await picked(database, pick);
    const rolledBack = database.write(BY_TEST, ({ pets }) =>
      chain(pet && pets.remove(pet.id), () =>
        chain(pets.create(added), () => {
          throw ROLLBACK;
        }),
      ),
    );
    const others = [1, 2].map(() => database.write(BY_TEST, ({ pets }) => pets.create(added)));
    expect(await rolledBack.catch((error) => error)).toBe(ROLLBACK);
    await Promise.all(others);
  },

  async 'orders that expire'(database, _animals, pick) {
    const all = await readAll(database);
    const held = all.slice(pick % all.length).slice(0, 5);
    const [createdAt, expiresAt] = [NOON, NOON + 1_000].map((ms) => new Date(ms).toISOString());
    for (const pet of held) {
      const order = { petId: pet.id, status: 'placed', createdAt, expiresAt } as const;
      await database.write(BY_TEST, ({ orders }) => orders.create(order as never));
      await database.write(BY_TEST, ({ pets }) => pets.replace({ ...pet, status: 'pending' }));
    }
    const expired = await database.write(BY_TEST, ({ orders }) => orders.expire(NOON + 1_000));
    expect(expired).toHaveLength(held.length);
  },

  'an import': (database, animals) => importPets(database, animals),

  async 'an import with ids'(database, animals) {
    const highest = (await database.write(BY_TEST, ({ pets }) => pets.create(rex()))).id as number;
    const rows = animals.map((added, index) => ({ id: highest + 1 + index * 2, ...added }));
    await importPets(database, rows);
  },

  async 'an abandoned import'(database, animals) {
    const transfer = await database.transfer.beginImport(() => BY_TEST);
    await transfer.add(animals);
    await transfer.abandon();
  },

  /** The animal that is added in between takes the id of a row. */
  async 'a refused import'(database, animals) {
    const highest = (await database.write(BY_TEST, ({ pets }) => pets.create(rex()))).id as number;
    const transfer = await database.transfer.beginImport(() => BY_TEST);
    await transfer.add(animals.map((added) => ({ id: highest + 1, ...added })));
    await database.write(BY_TEST, ({ pets }) => pets.create(animals[0] ?? rex()));
    await expect(transfer.commit()).rejects.toThrow();
  },

  /** On PostgreSQL, a row of counts for each category makes a compaction due. */
  async 'a compaction'(database, animals) {
    const others = Array.from({ length: 101 }, (_, index) => animal(1_000 + index, 'sold'));
    await importPets(database, [...animals, ...others]);
    await database.compactInventory();
  },
};

const STATUSES = ['available', 'pending', 'sold', undefined] as const;

const anyAnimal = fc
  .tuple(fc.constantFrom(...CATEGORIES.slice(1)), fc.constantFrom(...STATUSES))
  .map(([categoryId, status]) => animal(categoryId, status));

const anyWalk = fc.array(
  fc.record({
    change: fc.constantFrom(...Object.keys(CHANGES)),
    animals: fc.array(anyAnimal, { minLength: 1, maxLength: 9 }),
    pick: fc.nat(1_000),
  }),
  { maxLength: 12 },
);

/** Each change, twice. */
const EVERY_CHANGE = [...Object.keys(CHANGES), ...Object.keys(CHANGES)].map((change, index) => ({
  change,
  animals: [animal(2, STATUSES[index % 4]), animal(1, STATUSES[(index + 1) % 4])],
  pick: index,
}));

describe.each(ENGINES)('the inventory on $name', ({ name, open }) => {
  const storage = useEach(open);

  test(`is exact after each of all changes, and of many random ones (seed ${seed})`, async () => {
    const { database } = storage;
    const all = CATEGORIES.slice(1).flatMap((id) => STATUSES.map((status) => animal(id, status)));
    await importPets(database, all);
    const property = fc.asyncProperty(anyWalk, async (walk) => {
      for (const { change, animals, pick } of walk) {
        await (CHANGES[change] as Change)(database, animals, pick);
        await expectExact(database);
      }
    });
    const runs = name === 'SQLite' ? 5 : 1;
    await fc.assert(property, { examples: [[EVERY_CHANGE]], numRuns: 1 + runs, seed });
  });

  test('counts the uncommitted changes of its own transaction', async () => {
    for (const categoryId of [undefined, 1]) {
      const inventory = await storage.database.write(BY_TEST, ({ pets }) =>
        chain(pets.create(rex({ status: 'sold' })), () => pets.inventory(categoryId)),
      );
      expect(inventory).toEqual({ ...zeros(), sold: categoryId === undefined ? 1 : 2 });
    }
  });
});
