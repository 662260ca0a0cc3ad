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

/** Its own drill is no part of the tests. */
test('the page about upgrades names the newest schemas', () => {
  const page = readFileSync(new URL('../../docs/operating/upgrade.md', import.meta.url), 'utf8');
  const newest = (pattern: RegExp) =>
    new Set([...page.matchAll(pattern)].map(([, it]) => Number(it)));
  expect(newest(/db has schema version (\d+)/g)).toEqual(new Set([SQLITE.length]));
  expect(newest(/The database has schema version (\d+)/g)).toEqual(new Set([POSTGRES.length]));
});
