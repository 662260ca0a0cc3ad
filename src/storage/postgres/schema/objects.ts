import { migrationsOf } from '../../migrations.ts';
import { MIGRATIONS } from './migrations.ts';

/** How a migration creates an object. One that is dropped is created anew. */
const CREATED =
  /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|FUNCTION) (?:animal_store\.)?([a-z_0-9]+)/gm;

/** The objects that the migrations create up to a version, by kind and name: `table pets`. */
export const expectedObjects = (version: number): string[] => {
  const created = migrationsOf(MIGRATIONS, version).flatMap((text) => [...text.matchAll(CREATED)]);
  return [...new Set(created.map(([, kind = '', name]) => `${kind.toLowerCase()} ${name}`))];
};
