import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Observation } from '../../../src/observe/observation.ts';
import { type Database, StorageError, type StorageFailure } from '../../../src/storage/database.ts';
import { openForWriting } from '../../../src/storage/sqlite/connections/connection.ts';
import { toStorageError, translateErrors } from '../../../src/storage/sqlite/failures.ts';
import {
  hasDamageMarker,
  hasLostChanges,
} from '../../../src/storage/sqlite/integrity/damage-marker.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { exportPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { openScratch, pragma } from './scratch.ts';

function failureOf(work: () => unknown): { failure: StorageFailure; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof StorageError) return { failure: error.failure, message: error.message };
    throw error;
  }
  throw new Error('It did not fail.');
}

/** Runs `work` without superuser privileges because file modes do not restrict a superuser. */
function withoutPrivileges<T>(work: () => T): T {
  const isSuperuser = process.geteuid?.() === 0;
  if (isSuperuser) process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    if (isSuperuser) process.seteuid?.(0);
  }
}

/** Overwrites all pages but the first one, which contains the schema. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4_096));
}

const scratch = useEach(openScratch);

describe('opening refuses, without changing the file,', () => {
  const unchanged = () => {
    const before = readFileSync(scratch.path);
    const { failure, message } = failureOf(() => openSqlite(scratch.path));
    expect(readFileSync(scratch.path).equals(before)).toBe(true);
    expect(scratch.files()).toEqual(['animals.db']);
    expect(['refused', 'damaged']).toContain(failure);
    return message;
  };

  test.each(['wal', 'delete'])('a file of a later version with journal_mode %s', (mode) => {
    const unknown = openForWriting(scratch.path);
    unknown.run('CREATE TABLE pets (id INTEGER) STRICT');
    unknown.run(`PRAGMA application_id = ${0x416e5374}`);
    unknown.run('PRAGMA user_version = 9999');
    pragma(unknown, `journal_mode = ${mode}`);
    unknown.close(true);
    expect(unchanged()).toMatch(
      /has schema version 9999, but this program knows only \d+: use a newer version of the program\.$/,
    );
  });

  test('a file of a later version with changes in its -wal', () => {
    using other = openScratch();
    const unknown = other.writing();
    unknown.run(`PRAGMA application_id = ${0x416e5374}`);
    unknown.run('CREATE TABLE pets (id INTEGER) STRICT; PRAGMA user_version = 9999');
    // The files of a killed process, which wrote the -wal last.
    for (const end of ['', '-wal']) copyFileSync(other.path + end, scratch.path + end);
    utimesSync(`${scratch.path}-wal`, 4e9, 4e9);
    const bytes = () => ['', '-wal'].map((end) => readFileSync(scratch.path + end));
    const before = bytes();
    expect(failureOf(() => openSqlite(scratch.path)).failure).toBe('refused');
    expect(bytes()).toEqual(before);
  });

  test.each([
    ['wal', 0],
    ['delete', 0],
    ['delete', 7],
  ])('a database of another program with journal_mode %s and application_id %i', (mode, id) => {
    const foreign = scratch.foreign();
    pragma(foreign, `journal_mode = ${mode}`);
    foreign.run(`PRAGMA application_id = ${id}`);
    foreign.run('CREATE TABLE pets (id INTEGER)');
    foreign.run('INSERT INTO pets VALUES (1)');
    foreign.close(true);
    expect(unchanged()).toEndWith('animals.db belongs to another program.');
  });

  test('a file that is not a database', () => {
    writeFileSync(scratch.path, 'name,categoryId\nRex,1\n'.repeat(500));
    expect(unchanged()).toStartWith(
      `${scratch.path} is not an SQLite database, or its first page is damaged: name another file, or stop`,
    );
  });
});

describe('opening fails', () => {
  test('for a folder', () => {
    expect(failureOf(() => openSqlite(dirname(scratch.path)))).toEqual({
      failure: 'refused',
      message: `${dirname(scratch.path)} is a folder: the database must be a file.`,
    });
  });

  test('if the folder is a file', () => {
    writeFileSync(scratch.path, '');
    const path = join(scratch.path, 'sub', 'animals.db');
    const message = `The folder of ${path} cannot be created (ENOTDIR).`;
    expect(failureOf(() => openSqlite(path))).toEqual({ failure: 'refused', message });
  });

  test('in a read-only folder', () => {
    const folder = dirname(scratch.path);
    chmodSync(folder, 0o555);
    const failed = withoutPrivileges(() => failureOf(() => openSqlite(scratch.path)));
    chmodSync(folder, 0o755);
    const message = `${scratch.path} and its folder must be writable for this user: unable to open database file.`;
    expect(failed).toEqual({ failure: 'unavailable', message });
    expect(scratch.files()).toEqual([]);
  });

  test('not for missing folders: it creates them', async () => {
    const path = join(dirname(scratch.path), 'a', 'b', 'animals.db');
    const database = openSqlite(path);
    expect((await database.addPet(BY_TEST, rex())).id).toBe(1);
    await database.close();
  });
});

describe('an error of SQLite', () => {
  test('on a write to a read-only file becomes unavailable', () => {
    scratch.writing().run('CREATE TABLE t (v INTEGER) STRICT');
    chmodSync(dirname(scratch.path), 0o755);
    for (const end of ['', '-wal', '-shm']) chmodSync(scratch.path + end, 0o444);
    const failed = withoutPrivileges(() =>
      failureOf(() => translateErrors(() => scratch.writing().run('INSERT INTO t (v) VALUES (1)'))),
    );
    const message = 'The database cannot be used: attempt to write a readonly database.';
    expect(failed).toEqual({ failure: 'unavailable', message });
  });

  test('is the cause of the StorageError', () => {
    try {
      translateErrors(() => openForWriting(dirname(scratch.path)));
    } catch (error) {
      expect((error as StorageError).cause).toMatchObject({ code: 'SQLITE_CANTOPEN' });
    }
    expect.assertions(1);
  });

  test('about a missing table becomes damage: our statements match the schema', () => {
    const insert = () => translateErrors(() => scratch.writing().run('DELETE FROM pets'));
    const message = 'The SQLite database is damaged: no such table: pets.';
    expect(failureOf(insert)).toEqual({ failure: 'damaged', message });
  });

  test('that is a bug is not converted', () => {
    const bug = new TypeError('a bug');
    expect(toStorageError(bug)).toBe(bug);
    expect(() => translateErrors(() => scratch.writing().run('SELEC 1'))).toThrow('syntax error');
    expect(() => translateErrors(() => scratch.writing().run('SELEC 1'))).not.toThrow(StorageError);
  });
});

describe('a file that is damaged while it is open is detected', () => {
  let database: Database;
  let damages: Observation[];
  let sound: Buffer;
  beforeAll(async () => {
    using filled = openScratch();
    const written = openSqlite(filled.path);
    await importPets(written, Array(500).fill(rex({ status: 'sold' })));
    await written.close();
    sound = readFileSync(filled.path);
  });
  beforeEach(() => {
    writeFileSync(scratch.path, sound);
    damages = [];
    database = openSqlite(scratch.path, { observe: (seen) => damages.push(seen) });
    // A commit of another connection invalidates the page cache.
    const other = scratch.foreign();
    pragma(other, `user_version = ${pragma(other, 'user_version')}`);
    damage(scratch.path);
  });
  afterEach(() => database.close());

  async function expectDamage(work: () => unknown): Promise<void> {
    const failure = await new Promise((resolve) => resolve(work())).catch((error) => error);
    expect(failure).toBeInstanceOf(StorageError);
    expect(failure).toMatchObject({ failure: 'damaged' });
  }

  test('by an export, and by an import', async () => {
    await expectDamage(() => exportPets(database));
    await expectDamage(() => database.transfer.beginImport(() => BY_TEST));
  });

  test.each<[string, () => unknown]>([
    ['list', () => database.read.pets.list(EVERY, 0, 20)],
    ['get', () => database.read.pets.get(1)],
    ['create', () => database.addPet(BY_TEST, rex())],
    ['health check', () => database.checkHealth()],
  ])('by %s, and every later request fails, even on a sound file', async (_what, work) => {
    expect(database.version()).toBeNumber();
    await expectDamage(work);
    writeFileSync(scratch.path, sound);
    expect(() => database.version()).toThrow(StorageError);
    expect(() => database.checkHealth()).toThrow(StorageError);
    await expect(database.addPet(BY_TEST, rex())).rejects.toThrow(StorageError);
    const written = database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    await expect(written).rejects.toThrow(StorageError);
    expect(damages).toEqual([{ kind: 'database_damaged', error: expect.any(StorageError) }]);
    expect([hasDamageMarker(scratch.path), hasLostChanges(scratch.path)]).toEqual([true, false]);
  });
});
