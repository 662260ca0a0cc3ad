import fc from 'fast-check';
import { type Int64, int64FromBigInt } from '../../src/int64.ts';
import { type NewPet, PET_STATUSES } from '../../src/pets/pet.ts';

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

/** Any character, often of ASCII. The unit `binary` of fast-check takes a second to prepare. */
export const anyCharacter = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.nat(0x10f7ff).map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800)),
);

const text = (unit: 'grapheme' | typeof anyCharacter) =>
  fc.string({ unit, minLength: 1, maxLength: 255, size: 'max' });

/** Any valid name: 1 to 255 code points, well-formed, not blank, without U+0000. */
export const anyName: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    text('grapheme'),
    text(anyCharacter),
    fc.constantFrom('🐢'.repeat(255), '"', '\\', '\u2028', '\u007f', '\uffff', 'null'),
  )
  .map((name) => [...name].slice(0, 255).join(''))
  .filter((name) => name.isWellFormed() && !name.includes('\0') && name.trim() !== '');

/** A missing field does not compile. */
const newPetFields: { readonly [Field in keyof NewPet]-?: fc.Arbitrary<NewPet[Field]> } = {
  name: anyName,
  categoryId: anyInt64,
  status: fc.constantFrom(...PET_STATUSES),
};

export const anyNewPet: fc.Arbitrary<NewPet> = fc.record(newPetFields, {
  requiredKeys: ['name', 'categoryId'],
  noNullPrototype: true,
});
