/** Whether anything has changed is read from memory that all processes share: no commit goes unnoticed. */

import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openWalIndex, type WalIndex } from '../../../src/storage/sqlite/wal-index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe.if(process.platform === 'linux')('the WAL index', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let connection: Sqlite;
  let index: WalIndex;
  beforeEach(() => {
    folder = temporaryFolder();
    connection = new Sqlite(folder.file('a.db'), { strict: true, create: true });
    connection.run('PRAGMA journal_mode = WAL');
    connection.run('CREATE TABLE numbers (number)');
    const opened = openWalIndex(folder.file('a.db'));
    if (opened === undefined) throw new Error('It cannot be opened.');
    index = opened;
  });
  afterEach(() => {
    connection.close(true);
    index.close();
    folder.remove();
  });

  const add = (to = connection) => to.run('INSERT INTO numbers VALUES (1)');

  test('tells of each of 5000 commits', () => {
    for (let count = 0; count < 5_000; count += 1) {
      const before = index.version();
      add();
      expect(index.version()).not.toBe(before);
    }
  });

  test('stays as it is while nobody commits: reads, open and rolled back transactions', () => {
    const before = index.version();
    connection.query('SELECT * FROM numbers').all();
    connection.run('BEGIN IMMEDIATE');
    add();
    expect(index.version()).toBe(before);
    connection.run('ROLLBACK');
    expect(index.version()).toBe(before);
  });

  test('tells of a commit by another process', () => {
    const before = index.version();
    const program = `new (require('bun:sqlite').Database)(process.argv[1]).run('INSERT INTO numbers VALUES (1)')`;
    const { exitCode } = Bun.spawnSync([process.execPath, '-e', program, folder.file('a.db')]);
    expect(exitCode).toBe(0);
    expect(index.version()).not.toBe(before);
  });

  test('tells of commits after the log was moved into the file and begun anew', () => {
    for (const mode of ['PASSIVE', 'RESTART', 'TRUNCATE']) {
      add();
      connection.run(`PRAGMA wal_checkpoint(${mode})`);
      const before = index.version();
      add();
      expect(index.version()).not.toBe(before);
    }
  });
});
