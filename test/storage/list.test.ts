import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ListQuery, SORTS } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import { anyInt64, anyNewPet, anyStatus } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { anyImportId, rex } from './animals.ts';
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
  test('is exact beyond 2^53, up to the highest id', async () => {
    const storage = await open();
    const { pets } = storage.database.read;
    const ids = [1, 2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n, 2n ** 63n - 2n, 2n ** 63n - 1n];
    await importPets(
      storage.database,
      ids.map((id) => ({ id, ...rex() })),
    );
    const list = async (query: ListQuery<PetFilters>, afterId?: Int64) =>
      (await pets.list(query, afterId, 100)).map(({ id }) => id);
    for (const [index, id] of ids.entries()) {
      expect(await list(EVERY, id)).toEqual(ids.slice(index + 1));
      expect(await list({ filters: {}, sort: '-id' }, id)).toEqual(ids.slice(0, index).reverse());
      expect(await list({ filters: { id: [id] }, sort: 'id' })).toEqual([id]);
    }
    await storage.remove();
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
