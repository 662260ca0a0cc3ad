/** A search returns what a plain loop over all names returns. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { SORTS, type Sort } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { anyWorldName, foldSlowly } from '../support/names.ts';
import { useShared } from '../support/use-each.ts';
import { sometimes } from './animals.ts';

/** So many that the searches of a category read several slices. */
const ANIMALS = 4_000;
const seed = Number(process.env['SEED'] ?? Date.now());
console.log(`SEED=${seed}`);

const NAMES = fc.sample(anyWorldName, { seed, numRuns: ANIMALS });
const STATUSES = ['available', 'pending', 'sold', undefined] as const;
const ANIMALS_TO_ADD = NAMES.map((name, index) => {
  const status = STATUSES[index % 4];
  return { name, categoryId: index % 3, ...(status && { status }) };
});

/** A search: a part of a name in another form, other filters, an order, and where and how much to read. */
const anySearch = fc.record({
  name: fc
    .tuple(fc.nat(ANIMALS - 1), fc.nat(20), fc.integer({ min: 1, max: 7 }), fc.nat(3))
    .map(([index, start, length, form]) => {
      const characters = [...(NAMES[index] ?? '')];
      const part = characters
        .slice(start % characters.length)
        .slice(0, length)
        .join('');
      return [part, part.toUpperCase(), part.normalize('NFD'), part.normalize('NFKC')][form] ?? '';
    })
    .filter((text) => foldSlowly(text) !== ''),
  categoryId: sometimes(fc.nat(3), 4),
  status: sometimes(fc.constantFrom('available', 'sold'), 4),
  id: sometimes(fc.uniqueArray(fc.integer({ min: 1, max: ANIMALS }), { minLength: 1 }), 10),
  sort: fc.constantFrom(...SORTS),
  afterId: sometimes(fc.integer({ min: 0, max: ANIMALS + 10 }), 3),
  count: fc.integer({ min: 1, max: 101 }),
});

interface FoldedPet extends Pet {
  readonly folded: string;
}

function plainLoop(
  pets: readonly FoldedPet[],
  { name, categoryId, status, id }: PetFilters,
  sort: Sort,
  afterId: Int64 | undefined,
  count: number,
): Int64[] {
  const term = foldSlowly(name ?? '');
  const found = pets.filter(
    (pet) =>
      pet.folded.includes(term) &&
      (categoryId === undefined || pet.categoryId === categoryId) &&
      (status === undefined || pet.status === status) &&
      (id === undefined || id.includes(pet.id)) &&
      (afterId === undefined || (sort === 'id' ? pet.id > afterId : pet.id < afterId)),
  );
  return (sort === 'id' ? found : found.toReversed()).slice(0, count).map((pet) => pet.id);
}

describe.each(ENGINES)(
  'in $name, a search of 4,000 animals with names in eight scripts',
  ({ open }) => {
    const storage = useShared(open);
    beforeAll(async () => {
      await importPets(storage.database, ANIMALS_TO_ADD);
    });

    async function expectPlainLoop(runs: number): Promise<void> {
      const pets = (await exportPets(storage.database)).map((pet) => ({
        ...pet,
        folded: foldSlowly(pet.name),
      }));
      const statusOf = new Map(pets.map(({ id, status }) => [id, status]));
      const search = async ({ sort, afterId, count, ...filters }: SearchOf) => {
        const found = await storage.database.read.pets.list({ filters, sort }, afterId, count);
        expect(found.map(({ id }) => id)).toEqual(plainLoop(pets, filters, sort, afterId, count));
        if (count % 5 > 0) return;
        const { name, categoryId } = filters;
        const counts = { available: 0, pending: 0, sold: 0, unset: 0 };
        for (const id of plainLoop(pets, { name, categoryId }, 'id', undefined, ANIMALS))
          counts[statusOf.get(id) ?? 'unset'] += 1;
        expect(await storage.database.read.pets.inventoryOfNames(name, categoryId)).toEqual(counts);
      };
      await fc.assert(fc.asyncProperty(anySearch, search), { seed, numRuns: runs });
    }

    test('after an import', () => expectPlainLoop(60));

    test('after animals were renamed and removed', async () => {
      const { write, read } = storage.database;
      const ids = Array.from({ length: 40 }, (_, index) => 1 + index * 97);
      await Promise.all(ids.map((id) => write(BY_TEST, ({ pets }) => pets.remove(id))));
      // At both ends: what a search reads first, and what it reads only if that contains too few.
      const [begin, end] = await Promise.all(
        SORTS.map((sort) => read.pets.list({ filters: {}, sort }, undefined, 100)),
      );
      const renamed = [...(begin ?? []), ...(end ?? [])];
      const rename = (pet: Pet) => ({ ...pet, name: NAMES[(Number(pet.id) * 7) % ANIMALS] ?? '' });
      await Promise.all(
        renamed.map((pet) => write(BY_TEST, ({ pets }) => pets.replace(rename(pet)))),
      );
      await expectPlainLoop(30);
    });
  },
);

type SearchOf = typeof anySearch extends fc.Arbitrary<infer Search> ? Search : never;
