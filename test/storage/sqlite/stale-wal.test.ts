/** When the whole file is checked because its -wal may belong to another file. */
import { expect, test } from 'bun:test';
import { copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { saltAt, walBytes } from '../../../src/storage/sqlite/integrity/wal-format.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { rex } from '../animals.ts';
import { openScratch } from './scratch.ts';

const PAGE_BYTES = 4_096;

/** The salt in the header of a -wal, and that of each frame. */
function saltsIn(wal: Buffer): string[] {
  const frames = Math.floor((wal.length - walBytes(0, PAGE_BYTES)) / (24 + PAGE_BYTES));
  const ofFrames = Array.from({ length: frames }, (_, frame) =>
    saltAt(wal, walBytes(frame, PAGE_BYTES) + 8),
  );
  return [saltAt(wal, 16), ...ofFrames].map((salt) => salt.toString('hex'));
}

test('a -wal without a header is checked, too', async () => {
  using scratch = openScratch();
  await openSqlite(scratch.path).close();
  writeFileSync(`${scratch.path}-wal`, Buffer.alloc(5_000));
  utimesSync(`${scratch.path}-wal`, 1, 1);
  const announced: string[] = [];
  await openSqlite(scratch.path, { announce: (message) => announced.push(message) }).close();
  expect(announced).toEqual([expect.stringContaining('-wal may be left over from another file')]);
});

test('frames from before the last reset of the -wal do not count: the file is checked if it lacks a newer change, and only then', async () => {
  const scratch = openScratch();
  const database = openSqlite(scratch.path);
  const rename = (name: string) =>
    database.write(BY_TEST, ({ pets }) => pets.replace({ ...rex({ name }), id: 1 }));
  const checkpoint = () => scratch.foreign().query('PRAGMA wal_checkpoint').get();
  /** What is announced when a copy of the files is opened, as after a kill. The -wal is the older copy. */
  const announcedBy = async (name: string) => {
    const [copy, announced] = [`${scratch.path}.${name}`, [] as string[]];
    for (const suffix of ['-wal', '']) copyFileSync(scratch.path + suffix, copy + suffix);
    const salts = saltsIn(readFileSync(`${copy}-wal`));
    const opened = openSqlite(copy, { announce: (message) => announced.push(message) });
    await opened.close();
    return { announced, generations: [...new Set(salts)].length };
  };
  try {
    await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    for (const name of ['Mia', 'Max', 'Leo']) await rename(name);
    checkpoint();
    // SQLite starts from the beginning of the -wal: its first frame replaces the oldest one.
    await rename('Rex');
    expect(await announcedBy('lacks-a-change')).toEqual({
      announced: [expect.stringContaining('-wal may be left over from another file')],
      generations: 2,
    });
    checkpoint();
    expect(await announcedBy('is-complete')).toEqual({ announced: [], generations: 2 });
    // A transaction writes what the memory of its connection does not hold.
    const other = scratch.foreign();
    other.run('PRAGMA cache_size = 1');
    other.run('BEGIN; CREATE TABLE large AS SELECT zeroblob(99999)');
    expect(await announcedBy('has-no-commit')).toEqual({ announced: [], generations: 2 });
    other.run('ROLLBACK');
  } finally {
    await database.close();
    scratch.remove();
  }
});
