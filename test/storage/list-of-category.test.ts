/** A list of the animals of a category contains what a scan of all animals finds, whatever their statuses, and those without one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SORTS } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

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

describe.each(ENGINES)('on $name, the list of a category', ({ open }) => {
  let storage: TestStorage;
  let all: readonly Pet[];
  beforeAll(async () => {
    storage = await open();
    await importPets(storage.database, [...ANIMALS, ...AT_EDGES]);
    all = await exportPets(storage.database);
    expect(all).toHaveLength(ANIMALS.length + AT_EDGES.length);
  });
  afterAll(() => storage.remove());

  describe.each(SORTS)('in the order %s', (sort) => {
    const expected = (categoryId: Int64) => {
      const found = all.filter((pet) => pet.categoryId === categoryId);
      return sort === 'id' ? found : found.toReversed();
    };
    const page = async (categoryId: Int64, after: Int64 | undefined, count: number) =>
      storage.database.read.pets.list({ filters: { categoryId }, sort }, after, count);

    test.each([1, 21])('has all its animals, in pages of %d', async (count) => {
      for (const categoryId of CATEGORIES) {
        const listed: Pet[] = [];
        for (let last: Pet | undefined, isOver = false; !isOver; last = listed.at(-1)) {
          const next = await page(categoryId, last?.id, count);
          listed.push(...next);
          isOver = next.length < count;
        }
        expect(listed).toStrictEqual(expected(categoryId));
      }
    });

    test('has the same pages, if many are read at the same time', async () => {
      const starts = [undefined, 0, 1, 60, 119, ...EDGES];
      const requests = CATEGORIES.flatMap((id) => starts.map((start) => [id, start] as const));
      const pages = await Promise.all(requests.map(([id, start]) => page(id, start, 5)));
      for (const [index, [categoryId, start]] of requests.entries()) {
        const follows = ({ id }: Pet) => (sort === 'id' ? id > (start ?? 0) : id < (start ?? 0));
        const following = expected(categoryId).filter((pet) => start === undefined || follows(pet));
        expect(pages[index]).toStrictEqual(following.slice(0, 5));
      }
    });
  });
});
