/** An executable contains the migrations that are listed. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { MIGRATIONS as POSTGRES } from '../../src/storage/postgres/schema/migrations.ts';
import { MIGRATIONS as SQLITE } from '../../src/storage/sqlite/schema/migrations.ts';

test.each([
  ['sqlite', SQLITE],
  ['postgres', POSTGRES],
])('the migrations of %s are all listed, in the order of their numbers', (engine, listed) => {
  const folder = new URL(`../../src/storage/${engine}/schema/migrations/`, import.meta.url);
  const files = readdirSync(folder).sort();
  expect(listed).toEqual(files.map((file) => readFileSync(new URL(file, folder), 'utf8')));
});
