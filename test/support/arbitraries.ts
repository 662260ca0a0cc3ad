import fc from 'fast-check';
import { int64FromBigInt } from '../../src/int64.ts';
import { type NewPet, PET_STATUSES } from '../../src/pets/pet.ts';

/** Any valid name: 1 to 255 code points, well-formed, not blank, without U+0000. */
export const anyName: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc.constantFrom('🐢'.repeat(255), '"', '\\', '\u2028', '\u007f', '\uffff', 'null'),
  )
  .filter(
    (name) =>
      name.isWellFormed() && !name.includes('\0') && name.trim() !== '' && [...name].length <= 255,
  );

/** Any int64 in its canonical representation, with many edge cases. */
export const anyInt64 = fc
  .oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.integer().map(BigInt),
    fc.constantFrom(
      0n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 53n + 1n,
      -(2n ** 53n),
      2n ** 63n - 1n,
      -(2n ** 63n),
    ),
  )
  .map((value) => int64FromBigInt(value) ?? 0);

export const anyStatus = fc.constantFrom(...PET_STATUSES);

export const anyNewPet: fc.Arbitrary<NewPet> = fc.record(
  { name: anyName, categoryId: anyInt64, status: anyStatus },
  { requiredKeys: ['name', 'categoryId'] },
);
