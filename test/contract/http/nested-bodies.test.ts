/** Errors in nested bodies name the full path of the field. */
import { describe, expect, test } from 'bun:test';
import { Refusal } from '../../../src/http/contract/errors.ts';
import { z } from '../../../src/http/contract/zod.ts';
import type { ExactJson } from '../../../src/http/request/exact-json.ts';
import { validateBody } from '../../../src/http/request/validation.ts';
import { NewPet } from '../../../src/pets/pet.ts';

const text = z.string({ error: 'must be a string' });
const BODY = z.object({
  pets: z.array(NewPet).max(2),
  owner: z.object({ name: text, at: z.object({ city: text }).optional() }).nullable(),
});
const REX = { name: 'Rex', categoryId: 1 };

const messageOf = (body: { [key: string]: ExactJson }, strict: boolean): string | undefined => {
  const result = validateBody(body, BODY, strict);
  return result instanceof Refusal ? result.message : undefined;
};

describe('a nested body', () => {
  test('has each invalid value named with its path', () => {
    const body = { pets: [REX, { name: '' }], owner: { name: 'Ann', at: { city: 7 } } };
    expect(messageOf(body, false)).toBe(
      'pets[1].name: must not be empty or only white space; pets[1].categoryId: is required; ' +
        'owner.at.city: must be a string',
    );
  });

  test('may have unknown fields at every level', () => {
    const body = { pets: [{ ...REX, age: 3 }], owner: { name: 'Ann', shoe: 42 }, note: 'x' };
    expect(messageOf(body, false)).toBeUndefined();
  });

  test('must not have unknown fields at any level with handling=strict', () => {
    const owner = { name: 'Ann', at: { city: 'Rome', zip: 1 } };
    const body = { pets: [REX, { ...REX, age: 3 }], owner, note: 'x' };
    expect(messageOf(body, true)).toBe(
      'pets[1].age: is not a known field; owner.at.zip: is not a known field; note: is not a known field',
    );
    expect(messageOf({ pets: [REX], owner: null }, true)).toBeUndefined();
  });

  test('has no words of a library, even if its schema has none of its own', () => {
    expect(z.object({ name: z.string() }).safeParse({}).error?.issues).toMatchObject([
      { message: 'is not valid' },
    ]);
  });

  test('has a long unknown name shortened', () => {
    const body = { pets: [{ ...REX, ['y'.repeat(64)]: 1, ['x'.repeat(65)]: 1 }], owner: null };
    expect(messageOf(body, true)).toBe(
      `pets[0].${'y'.repeat(64)}: is not a known field; pets[0]."${'x'.repeat(64)}…": is not a known field`,
    );
  });

  test.each([
    ['two words', '"two words"'],
    ['a.b', '"a.b"'],
    ['a: b; c', '"a: b; c"'],
    ['a"b', '"a\\"b"'],
    ['', '""'],
    ['größe', '"größe"'],
    ['Size_2', 'Size_2'],
    ['007', '007'],
  ])('has the unknown name %j as %s, so that a path can be read back', (name, shown) => {
    const body = { pets: [{ ...REX, [name]: 1 }], owner: null, [name]: 1 };
    expect(messageOf(body, true)).toBe(
      `pets[0].${shown}: is not a known field; ${shown}: is not a known field`,
    );
  });
});
