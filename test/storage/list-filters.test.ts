/** Tests every declared filter of the list of animals. Those of the list of orders are in `order-search.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Sort } from '../../src/http/contract/list-query.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { PET_FILTERS, type PetFilters } from '../../src/pets/pet-filters.ts';
import { importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

/** Two values of a filter, and the animals that match. */
interface Sample<Value = unknown> {
  readonly values: readonly [Value, Value];
  readonly matches: (pet: Pet, value: Value) => boolean;
}

/** A missing filter does not compile. */
const SAMPLES: { readonly [Name in keyof PetFilters]-?: Sample<NonNullable<PetFilters[Name]>> } = {
  status: { values: ['available', 'sold'], matches: (pet, value) => pet.status === value },
  categoryId: { values: [1, 2], matches: (pet, value) => pet.categoryId === value },
  id: { values: [[1, 5, 9, 10], [2]], matches: ({ id }, value) => value.includes(id) },
  name: {
    values: ['animal 1', '2'],
    matches: ({ name }, value) => name.toLowerCase().includes(value),
  },
};
const NAMES = Object.keys(PET_FILTERS);
const sampleOf = (name: string) => SAMPLES[name as keyof PetFilters] as Sample;

describe.each(ENGINES)('in $name, a list of animals', ({ open }) => {
  let storage: TestStorage;
  beforeAll(async () => {
    storage = await open();
    const statuses = ['available', 'pending', 'sold', undefined] as const;
    const animals = Array.from({ length: 48 }, (_, index) => ({
      name: `Animal ${index}`,
      categoryId: index % 3,
      status: statuses[index % 4],
    }));
    await importPets(storage.database, animals);
  });
  afterAll(() => storage.remove());

  const read = async (filters: object, sort: Sort = 'id') =>
    storage.database.read.pets.list({ filters, sort }, undefined, 100);

  test.each(NAMES)('is filtered by %s', async (filter) => {
    const { values, matches } = sampleOf(filter);
    const all = await read({});
    for (const value of values) {
      const expected = all.filter((pet) => matches(pet, value));
      expect(expected.length).toBeWithin(1, all.length);
      expect(await read({ [filter]: value })).toEqual(expected);
      expect(await read({ [filter]: value }, '-id')).toEqual(expected.toReversed());
    }
  });

  test.each(NAMES)(
    'is kept apart from simultaneous ones that differ in %s only',
    async (filter) => {
      const filterSets = NAMES.flatMap((other) => {
        const [same] = sampleOf(other).values;
        const rest = other === filter ? {} : { [other]: same };
        return [undefined, ...sampleOf(filter).values].map((value) => ({
          ...rest,
          [filter]: value,
        }));
      });
      const sequential: Pet[][] = [];
      for (const filters of filterSets) sequential.push(await read(filters));
      expect(await Promise.all(filterSets.map((filters) => read(filters)))).toEqual(sequential);
      expect(new Set(sequential.map((page) => JSON.stringify(page))).size).toBeGreaterThan(1);
    },
  );
});
