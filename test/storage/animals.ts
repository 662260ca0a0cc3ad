import fc from 'fast-check';
import type { NewPet, Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { EVERY } from '../support/list-query.ts';
import type { TestService } from '../support/service.ts';

/** A value in one of `times` cases, otherwise none. */
export const sometimes = <Value>(value: fc.Arbitrary<Value>, times: number) =>
  fc.oneof(
    { weight: times - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );

export const rex = (fields: Partial<NewPet> = {}): NewPet => ({
  name: 'Rex',
  categoryId: 1,
  ...fields,
});

/** Adds animals, whose events get their positions. */
export async function addPets({ request, database }: TestService, count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) await request('POST', '/v1/pets', { body: rex() });
  await database.read.events.feed();
}

/** Sorts animals by id: simultaneously created ones have ids in any order. */
export const inOrder = (pets: readonly Pet[]): Pet[] =>
  pets.toSorted((a, b) => (a.id < b.id ? -1 : 1));

export async function readAll(database: Database, pageSize = 100): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (;;) {
    const page = await database.read.pets.list(EVERY, pets.at(-1)?.id ?? 0, pageSize);
    pets.push(...page);
    if (page.length < pageSize) return pets;
  }
}
