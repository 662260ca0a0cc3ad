import { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import {
  isSafeRelease,
  openForWriting,
  RUNNING_TIMEOUT_MS,
} from '../../../src/storage/sqlite/connections/connection.ts';
import { openChecked } from '../../../src/storage/sqlite/integrity/open-checked.ts';
import { mayBelongToAnotherFile } from '../../../src/storage/sqlite/integrity/stale-wal.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { countPets, exportPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { column, openScratch, pragma } from './scratch.ts';

describe('a connection', () => {
  const scratch = useEach(openScratch);

  test('that writes uses WAL mode, syncs on every commit and checks foreign keys', () => {
    const connection = scratch.writing();
    expect(pragma(connection, 'journal_mode')).toBe('wal');
    expect(pragma(connection, 'synchronous')).toBe(2);
    expect(pragma(connection, 'foreign_keys')).toBe(1);
    expect(pragma(connection, 'busy_timeout')).toBeGreaterThan(RUNNING_TIMEOUT_MS);
    const opened = openChecked(scratch.path, () => {});
    expect(pragma(opened, 'busy_timeout')).toBe(RUNNING_TIMEOUT_MS);
    opened.close(true);
  });

  test('has no memory-mapped I/O because a truncated file would kill the process', () => {
    expect(pragma(scratch.writing(), 'mmap_size')).toBe(0);
    expect(pragma(scratch.reading(), 'mmap_size')).toBe(0);
  });

  test('that writes refuses a statement with a missing parameter', () => {
    const connection = scratch.writing();
    const query = connection.query<unknown, Record<string, never>>('SELECT $missing');
    expect(() => query.get({})).toThrow('Missing parameter');
  });

  test('that reads cannot write', () => {
    scratch.writing().run('CREATE TABLE t (v INTEGER) STRICT');
    const reader = scratch.reading();
    expect(() => reader.run('INSERT INTO t (v) VALUES (1)')).toThrow('readonly');
    expect(column(reader, 'SELECT v FROM t')).toEqual([]);
  });

  test('that reads creates no file', () => {
    expect(() => scratch.reading()).toThrow();
    expect(scratch.files()).toEqual([]);
  });

  test('cannot be opened on an in-memory database, which has no WAL', () => {
    expect(() => openForWriting(':memory:')).toThrow('cannot be used in WAL mode');
  });
});

describe('SQLite version', () => {
  test.each([
    ['3.52.0', true],
    ['3.51.10', true],
    ['3.51.3', true],
    ['3.51.2', false],
    ['3.50.7', true],
    ['3.50.6', false],
    ['3.49.9', false],
    ['3.45.0', false],
    ['3.44.6', true],
    ['3.44.5', false],
    ['3.7.0', false],
    ['2.99.99', false],
    ['4.0.0', true],
    ['', false],
  ])('%p is safe: %p', (version, isSafe) => {
    expect(isSafeRelease(version)).toBe(isSafe);
  });
});

describe('closing', () => {
  const scratch = useEach(openScratch);

  test('leaves one file', async () => {
    const database = openSqlite(scratch.path);
    await database.addPet(BY_TEST, { name: 'Rex', categoryId: 1 });
    await database.read.pets.list(ascending({ status: 'sold', id: [1] }), 0, 20);
    expect(await exportPets(database)).toHaveLength(1);
    expect(await countPets(database)).toBe(1);
    const abandoned = await database.transfer.beginImport(() => BY_TEST);
    await importPets(database, [{ name: 'Max', categoryId: 1 }]);
    await abandoned.abandon();
    await database.close();
    expect(scratch.files()).toEqual(['animals.db']);
  });

  test('of a copy into the file keeps others from writing', async () => {
    const database = openSqlite(scratch.path);
    const [reader, writer] = [scratch.foreign(), await database.transfer.openWriter()];
    expect(() => reader.run('BEGIN IMMEDIATE')).toThrow('locked');
    await writer.close();
    await database.close();
  });

  test.skipIf(process.platform !== 'linux')(
    'keeps the locks of the shared memory until the connection is closed: another process would truncate it',
    async () => {
      const database = openSqlite(scratch.path);
      const locks = (end = '-shm') => {
        const { ino } = statSync(scratch.path + end);
        const lines = readFileSync('/proc/locks', 'utf8').split('\n');
        return lines.filter(
          (line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `),
        );
      };
      expect(locks()).not.toBeEmpty();
      chmodSync(scratch.path, 0o600);
      expect(mayBelongToAnotherFile(scratch.path)).toBe(false);
      expect(locks('')).not.toBeEmpty();
      const atClose: number[] = [];
      const close = Sqlite.prototype.close;
      const spy = spyOn(Sqlite.prototype, 'close').mockImplementation(function (
        this: Sqlite,
        ...parameters
      ) {
        atClose.push(locks().length);
        close.apply(this, parameters);
      });
      await database.close();
      spy.mockRestore();
      expect(atClose).not.toBeEmpty();
      expect(atClose).not.toContain(0);
    },
  );

  test('an export, complete or not, allows a checkpoint that truncates the WAL', async () => {
    const database = openSqlite(scratch.path);
    for (const readAll of [true, false]) {
      await database.addPet(BY_TEST, { name: 'Rex', categoryId: 1 });
      for await (const _batch of database.transfer.exportPets()) if (!readAll) break;
      await database.addPet(BY_TEST, { name: 'Max', categoryId: 1 });
      expect(pragma(scratch.foreign(), 'wal_checkpoint(TRUNCATE)')).toBe(0);
    }
    await database.close();
  });
});
