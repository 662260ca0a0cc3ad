import fc from 'fast-check';
import { type Int64, int64FromBigInt } from '../../src/int64.ts';
import { type NewPet, PET_STATUSES, type Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import type { Database } from '../../src/storage/database.ts';
import { autocommit } from '../support/autocommit.ts';

/** The canonical representation of a 64-bit integer. */
export function int64(value: bigint): Int64 {
  const exact = int64FromBigInt(value);
  if (exact === undefined) throw new RangeError(`${value} is beyond 64 bits`);
  return exact;
}

export const INT64_EDGES: readonly bigint[] = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -(2n ** 53n) - 1n,
  -(2n ** 53n),
  -(2n ** 53n) + 1n,
  -1n,
  0n,
  1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
];

/** Any 64-bit integer, often an edge case. */
export const anyInt64: fc.Arbitrary<Int64> = fc
  .oneof(
    fc.constantFrom(...INT64_EDGES),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.integer().map(BigInt),
  )
  .map(int64);

/** Any id that an import accepts, below the maximum. */
export const anyImportId: fc.Arbitrary<Int64> = fc
  .oneof(
    fc.bigInt({ min: 1n, max: 60n }),
    fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }),
    fc.bigInt({ min: 2n ** 63n - 40n, max: 2n ** 63n - 2n }),
  )
  .map(int64);

export const anyStatus = fc.constantFrom(...PET_STATUSES);

const text = (unit: 'grapheme' | 'binary') =>
  fc.string({ unit, minLength: 1, maxLength: 255, size: 'max' });

/** Any name that the contract allows: 1 to 255 code points, not blank, without U+0000. */
const anyName: fc.Arbitrary<string> = fc
  .oneof(fc.string({ minLength: 1, maxLength: 20 }), text('grapheme'), text('binary'))
  .map((name) => [...name].slice(0, 255).join(''))
  .filter((name) => name.trim() !== '' && !name.includes('\0'));

export const anyNewPet: fc.Arbitrary<NewPet> = fc.record(
  { name: anyName, categoryId: anyInt64, status: anyStatus },
  { requiredKeys: ['name', 'categoryId'], noNullPrototype: true },
);

export const EVERY: PetFilters = {};

export const rex = (fields: Partial<NewPet> = {}): NewPet => ({
  name: 'Rex',
  categoryId: 1,
  ...fields,
});

/** Sorts animals by id: simultaneously created ones have ids in any order. */
export const inOrder = (pets: readonly Pet[]): Pet[] =>
  pets.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Reads all animals page by page. */
export async function readAll(database: Database, pageSize = 100): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (;;) {
    const page = await autocommit(database).pets.list(EVERY, pets.at(-1)?.id ?? 0, pageSize);
    pets.push(...page);
    if (page.length < pageSize) return pets;
  }
}
