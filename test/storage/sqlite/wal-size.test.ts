/** The -wal does not keep its largest size. */
import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import type { Database, Stores } from '../../../src/storage/database.ts';
import { WAL_SIZE_LIMIT } from '../../../src/storage/sqlite/connections/connection.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { rex } from '../animals.ts';

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let database: Database;
/** Of the database file, after COMMIT and before the checkpoint. */
let sizes: number[];
beforeEach(() => {
  folder = temporaryFolder({ inMemory: true });
  path = folder.file('animals.db');
  sizes = [];
  database = openSqlite(path, { onBatch: () => sizes.push(statSync(path).size) });
});
afterEach(async () => {
  await database.close();
  folder.remove();
});

const walSize = (): number => statSync(`${path}-wal`).size;
const add = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));

test('after a transaction that made it larger, the next addition of a running service truncates it', async () => {
  await add();
  const other = new Sqlite(path);
  other.run('CREATE TABLE large AS SELECT zeroblob(70000000) AS bytes');
  other.close();
  expect(walSize()).toBeGreaterThan(WAL_SIZE_LIMIT);
  await add();
  expect(walSize()).toBeLessThanOrEqual(WAL_SIZE_LIMIT);
  expect(await database.read.pets.list(EVERY, undefined, 1)).toHaveLength(1);
});

test('additions move it into the database file before it becomes large, but not within COMMIT, and reuse it', async () => {
  const sizeBefore = statSync(path).size;
  for (let batch = 0; batch < 150; batch += 1) {
    const addMany = ({ pets }: Stores) => {
      sizes.push(statSync(path).size);
      return pets.createAll(Array(200).fill(rex()));
    };
    await database.write(BY_TEST, addMany, { rows: 200 });
    expect(sizes.at(-1)).toBe(sizes.at(-2) as number);
  }
  expect(statSync(path).size).toBeGreaterThan(sizeBefore);
  // 1,000 frames, and those of the last batch.
  expect(walSize()).toBeLessThan(5 * 1024 * 1024);
});
