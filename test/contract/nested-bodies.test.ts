/** Faults of a body within a body: each is named with its whole path. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Refusal } from '../../src/http/contract/errors.ts';
import { z } from '../../src/http/contract/zod.ts';
import type { ExactJson } from '../../src/http/request/exact-json.ts';
import { validateBody } from '../../src/http/request/validation.ts';
import { NewPet } from '../../src/pets/pet.ts';
import { startService, type TestService } from '../support/service.ts';

const BATCH = z.object({
  pets: z.array(NewPet),
  owner: z.object({ name: z.string(), at: z.object({ city: z.string() }).optional() }).nullable(),
});
const REX = { name: 'Rex', categoryId: 1 };

const messageOf = (body: { [key: string]: ExactJson }, strict: boolean): string | undefined => {
  const result = validateBody(body, BATCH, strict);
  return result instanceof Refusal ? result.message : undefined;
};

describe('a body with objects and arrays in it', () => {
  test('has each invalid value named with its path', () => {
    const body = { pets: [REX, { name: '' }], owner: { name: 'Ann', at: { city: 7 } } };
    expect(messageOf(body, false)).toBe(
      'pets[1].name: must not be empty or only white space; pets[1].categoryId: is required; ' +
        'owner.at.city: Invalid input: expected string, received number.',
    );
  });

  test('may have unknown fields at every depth', () => {
    const body = { pets: [{ ...REX, age: 3 }], owner: { name: 'Ann', shoe: 42 }, note: 'x' };
    expect(messageOf(body, false)).toBeUndefined();
  });

  test('has unknown fields at every depth refused with handling=strict', () => {
    const owner = { name: 'Ann', at: { city: 'Rome', zip: 1 } };
    const body = { pets: [REX, { ...REX, age: 3 }], owner, note: 'x' };
    expect(messageOf(body, true)).toBe(
      'pets[1].age: is not a known field; owner.at.zip: is not a known field; note: is not a known field.',
    );
    expect(messageOf({ pets: [REX], owner: null }, true)).toBeUndefined();
  });

  test('has a very long unknown name shortened', () => {
    const body = { pets: [{ ...REX, ['x'.repeat(1_000)]: 1 }], owner: null };
    expect(messageOf(body, true)).toBe(`pets[0].${'x'.repeat(64)}…: is not a known field.`);
  });
});

describe('an array in a request', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('has the place of an invalid element named', async () => {
    const body = { name: 'shop', scopes: ['pets:read', 'pets:eat'] };
    const { json } = await service.request('POST', '/v1/api-keys', { body });
    expect(json).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^scopes\[1\]: must be some of pets:read, /),
    });
  });

  test('leaves a repeated query parameter with its name alone', async () => {
    const { json } = await service.request('GET', '/v1/pets?id=1&id=x&id=y');
    expect(json).toMatchObject({ message: 'id: must be an integer in digits.' });
  });
});
