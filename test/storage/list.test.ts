import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ListQuery, SORTS } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import { anyInt64, anyNewPet, anyStatus, int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import { ascending } from '../support/list-query.ts';
import { useEach } from '../support/use-each.ts';
import { anyImportId } from './animals.ts';
import { autocommit } from './autocommit.ts';

/** The expected list, computed as simply as possible. */
const expected = (
  pets: readonly Pet[],
  { filters: { status, id }, sort }: ListQuery<PetFilters>,
  afterId: Int64 | undefined,
  count: number,
): Pet[] =>
  (sort === 'id' ? pets : pets.toReversed())
    .filter((pet) => status === undefined || pet.status === status)
    .filter((pet) => id === undefined || id.includes(pet.id))
    .filter((pet) => afterId === undefined || (sort === 'id' ? pet.id > afterId : pet.id < afterId))
    .slice(0, count);

describe.each(ENGINES)('a list of animals in $name', ({ name, open }) => {
  const storage = useEach(open);
  const idsOf = async (query: ListQuery<PetFilters>, afterId?: Int64, count = 100) =>
    (await autocommit(storage.database).pets.list(query, afterId, count)).map(({ id }) => id);
  const list = (filters: PetFilters, afterId: Int64 = 0, count?: number) =>
    idsOf(ascending(filters), afterId, count);
  const descending = (filters: PetFilters, afterId?: Int64, count?: number) =>
    idsOf({ filters, sort: '-id' }, afterId, count);

  test('distinguishes ids that are equal as rounded numbers', async () => {
    const ids = [0n, 1n, 2n, 3n].map((offset) => int64(2n ** 60n + offset));
    await importPets(
      storage.database,
      ids.map((id) => ({ id, name: 'Rex', categoryId: 1 })),
    );
    expect(await list({}, 2n ** 60n + 1n)).toEqual([2n ** 60n + 2n, 2n ** 60n + 3n]);
    expect(await descending({}, 2n ** 60n + 2n)).toEqual([2n ** 60n + 1n, 2n ** 60n]);
    expect(await list({ id: [2n ** 60n + 1n] })).toEqual([2n ** 60n + 1n]);
  });

  test('contains the highest id in both orders', async () => {
    const ids = [1, 2n ** 63n - 2n, 2n ** 63n - 1n];
    await importPets(
      storage.database,
      ids.map((id) => ({ id, name: 'Rex', categoryId: 1 })),
    );
    expect(await list({})).toEqual(ids);
    expect(await list({}, 2n ** 63n - 2n)).toEqual([2n ** 63n - 1n]);
    expect(await descending({})).toEqual(ids.toReversed());
    expect(await descending({ categoryId: 1 }, 2n ** 63n - 1n)).toEqual([2n ** 63n - 2n, 1]);
  });

  test('equals a filtered array, for any filters and both orders', async () => {
    const anyCatalogue = fc
      .uniqueArray(fc.record({ id: anyImportId, pet: anyNewPet }), {
        minLength: 10,
        maxLength: 40,
        size: 'max',
        selector: ({ id }) => id,
      })
      .map((rows) => rows.sort((a, b) => (a.id < b.id ? -1 : 1)))
      .map((rows) => rows.map(({ id, pet }): Pet => ({ id, ...pet })));
    const anyRequest = fc.record({
      status: fc.option(anyStatus, { nil: undefined }),
      id: fc.option(fc.array(fc.oneof(anyImportId, anyInt64), { maxLength: 100, size: 'max' }), {
        nil: undefined,
      }),
      sort: fc.constantFrom(...SORTS),
      afterId: fc.oneof(fc.constantFrom(0, undefined), anyImportId, anyInt64),
      count: fc.integer({ min: 1, max: 101 }),
    });
    const property = fc.asyncProperty(
      anyCatalogue,
      fc.array(anyRequest, { minLength: 40, maxLength: 40 }),
      async (pets, requests) => {
        const { database, remove } = await open();
        try {
          await importPets(database, pets);
          for (const { afterId, count, sort, ...filters } of requests) {
            const query = { filters, sort };
            expect(await autocommit(database).pets.list(query, afterId, count)).toStrictEqual(
              expected(pets, query, afterId, count),
            );
          }
        } finally {
          await remove();
        }
      },
    );
    await fc.assert(property, { numRuns: name === 'SQLite' ? 5 : 2 });
  });
});
