/** The planner knows the rows of an import at once. */
import { expect, test } from 'bun:test';
import { importPets } from '../../support/catalogue.ts';
import { openSqliteStorage } from '../../support/sqlite-storage.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { copy } from '../copying.ts';
import { openMigratedScratch } from './scratch.ts';

const scratch = useEach(openMigratedScratch);

const ANIMALS = Array.from({ length: 300 }, () => rex());

/** The number of animals as the planner knows it; -1: unknown. */
const known = async (): Promise<number> => {
  const [row] = await scratch.sql<{ rows: number }[]>`
    SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'animal_store.pets'::regclass`;
  return row?.rows ?? Number.NaN;
};

test('after an import', async () => {
  const database = await scratch.open();
  await importPets(database, ANIMALS);
  expect(await known()).toBe(ANIMALS.length);
});

test('after a copy', async () => {
  const source = await openSqliteStorage();
  await importPets(source.database, ANIMALS);
  await copy(source, await scratch.open());
  expect(await known()).toBe(ANIMALS.length);
  await source.remove();
});
