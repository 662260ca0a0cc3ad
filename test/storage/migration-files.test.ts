/** An executable contains the migrations that are listed. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { FIRST_VERSION } from '../../src/storage/migrations.ts';
import { MIGRATIONS as POSTGRES } from '../../src/storage/postgres/schema/migrations.ts';
import { MIGRATIONS as SQLITE } from '../../src/storage/sqlite/schema/migrations.ts';

test.each([
  ['sqlite', SQLITE],
  ['postgres', POSTGRES],
])(
  'the migrations of %s are all listed, and numbered from the first version without gaps',
  (engine, listed) => {
    const folder = new URL(`../../src/storage/${engine}/schema/migrations/`, import.meta.url);
    const files = readdirSync(folder).sort();
    expect(listed).toEqual(files.map((file) => readFileSync(new URL(file, folder), 'utf8')));
    expect(files.map((file) => /^(\d{4})(?:-[a-z0-9]+)+\.sql$/.exec(file)?.[1])).toEqual(
      files.map((_, index) => `0${FIRST_VERSION + index}`),
    );
  },
);
