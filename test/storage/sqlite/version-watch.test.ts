/** Every commit is detected, by both ways to watch the file. */
import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import {
  type VersionWatch,
  watchDataVersion,
} from '../../../src/storage/sqlite/connections/version-watch.ts';
import { openWalIndex } from '../../../src/storage/sqlite/connections/wal-index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WATCHES: [string, (path: string) => VersionWatch | undefined][] = [
  ['PRAGMA data_version', watchDataVersion],
];
if (process.platform === 'linux') WATCHES.push(['the WAL-index', openWalIndex]);

describe.each(WATCHES)('%s', (_name, open) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let connection: Sqlite;
  let watch: VersionWatch;
  beforeEach(() => {
    folder = temporaryFolder({ inMemory: true });
    connection = new Sqlite(folder.file('a.db'), { strict: true, create: true });
    connection.run('PRAGMA journal_mode = WAL');
    connection.run('CREATE TABLE numbers (number)');
    const opened = open(folder.file('a.db'));
    if (opened === undefined) throw new Error('It cannot be opened.');
    watch = opened;
  });
  afterEach(() => {
    connection.close(true);
    watch.close();
    folder.remove();
  });

  const add = (to = connection) => to.run('INSERT INTO numbers VALUES (1)');

  test('changes on each of 1,000 commits', () => {
    for (let count = 0; count < 1_000; count += 1) {
      const before = watch.version();
      add();
      expect(watch.version()).not.toBe(before);
    }
  });

  test('does not change on reads, open and rolled back transactions', () => {
    const before = watch.version();
    connection.query('SELECT * FROM numbers').all();
    connection.run('BEGIN IMMEDIATE');
    add();
    expect(watch.version()).toBe(before);
    connection.run('ROLLBACK');
    expect(watch.version()).toBe(before);
  });

  test('changes on a commit of another process', () => {
    const before = watch.version();
    const program = `new (require('bun:sqlite').Database)(process.argv[1]).run('INSERT INTO numbers VALUES (1)')`;
    const { exitCode } = Bun.spawnSync([process.execPath, '-e', program, folder.file('a.db')]);
    expect(exitCode).toBe(0);
    expect(watch.version()).not.toBe(before);
  });

  test('changes on commits after a checkpoint and a reset of the WAL', () => {
    for (const mode of ['PASSIVE', 'RESTART', 'TRUNCATE']) {
      add();
      connection.run(`PRAGMA wal_checkpoint(${mode})`);
      const before = watch.version();
      add();
      expect(watch.version()).not.toBe(before);
    }
  });

  test('leaves only the database file behind', () => {
    add();
    connection.close(true);
    watch.close();
    expect(readdirSync(folder.path)).toEqual(['a.db']);
  });
});
