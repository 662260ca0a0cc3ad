/** Any list of animals contains what a scan of all animals finds. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { SORTS } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import { useShared } from '../support/use-each.ts';

const EDGES = INT64_EDGES.map(int64);
const STATUSES = ['available', 'pending', 'sold', undefined] as const;

/** Some with animals of each status, some with animals of one status alone, some with one animal or none. */
const CATEGORIES: readonly Int64[] = [1, 2, 3, 4, 5, 6, 99, ...EDGES];

const ANIMALS: readonly Pet[] = [
  ...Array.from({ length: 120 }, (_, index) => ({
    categoryId: 1 + (index % 2),
    status: STATUSES[Math.floor(index / 3) % 4],
  })),
  ...STATUSES.flatMap((status, index) => Array(7).fill({ categoryId: 3 + index, status })),
  ...EDGES.flatMap((categoryId) => STATUSES.map((status) => ({ categoryId, status }))),
].map((animal, index) => ({ id: 1 + index, name: `Animal ${index}`, ...animal }));

/** The same animals again, with the highest ids. */
const AT_EDGES: readonly Pet[] = EDGES.filter((id) => id > ANIMALS.length)
  .toSorted((one, other) => (one < other ? -1 : 1))
  .map((id, index) => ({ ...(ANIMALS[index] as Pet), id }));

/** Values of each filter. A missing one does not compile. */
const VALUES: { readonly [Name in keyof PetFilters]-?: readonly PetFilters[Name][] } = {
  status: [undefined, 'available', 'sold'],
  categoryId: [undefined, 1, int64(2n ** 63n - 2n)],
  id: [undefined, [1, 5, 9, 10, ...EDGES]],
  name: [undefined, 'animal 1'],
};

/** All combinations of the values, then each category. */
const FILTERS: readonly PetFilters[] = [
  ...Object.entries(VALUES).reduce<PetFilters[]>(
    (all, [name, values]) =>
      all.flatMap((others) => values.map((value) => ({ ...others, [name]: value }))),
    [{}],
  ),
  ...CATEGORIES.map((categoryId) => ({ categoryId })),
];

const STARTS: readonly (Int64 | undefined)[] = [undefined, 0, 1, 60, 119, ...EDGES.slice(-6)];

const REQUESTS = FILTERS.flatMap((filters) =>
  SORTS.flatMap((sort) => STARTS.map((after) => [{ filters, sort }, after] as const)),
);

const MATCHES: { readonly [Name in keyof PetFilters]-?: (pet: Pet, value: never) => boolean } = {
  status: (pet, value) => pet.status === value,
  categoryId: (pet, value) => pet.categoryId === value,
  id: ({ id }, values: readonly Int64[]) => values.includes(id),
  name: ({ name }, value) => name.toLowerCase().includes(value),
};

describe.each(ENGINES)('in $name, any list of animals', ({ open }) => {
  const storage = useShared(open);
  let all: readonly Pet[];
  beforeAll(async () => {
    await importPets(storage.database, [...ANIMALS, ...AT_EDGES]);
    all = await exportPets(storage.database);
    expect(all).toHaveLength(ANIMALS.length + AT_EDGES.length);
  });

  type Request = (typeof REQUESTS)[number];

  const expected = ([{ filters, sort }, after]: Request, count: number): Pet[] =>
    (sort === 'id' ? all : all.toReversed())
      .filter(({ id }) => after === undefined || (sort === 'id' ? id > after : id < after))
      .filter((pet) =>
        Object.entries(filters).every(
          ([name, value]) =>
            value === undefined || MATCHES[name as keyof PetFilters](pet, value as never),
        ),
      )
      .slice(0, count);

  const list = async ([query, after]: Request, count: number) =>
    storage.database.read.pets.list(query, after, count);

  test('has what matches, in its order, after any id', async () => {
    for (const request of REQUESTS)
      expect([request, await list(request, 21)]).toStrictEqual([request, expected(request, 21)]);
  });

  test('has the same pages, if many of any length are read at the same time', async () => {
    const countOf = (index: number) => [1, 5, 50][index % 3] as number;
    const pages = REQUESTS.map((request, index) => list(request, countOf(index)));
    expect(await Promise.all(pages)).toStrictEqual(
      REQUESTS.map((request, index) => expected(request, countOf(index))),
    );
  });
});
