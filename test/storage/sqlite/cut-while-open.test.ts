/** A database whose -wal another program cuts short: no change is acknowledged after that. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { Observation } from '../../../src/observe/observation.ts';
import type { Database } from '../../../src/storage/database.ts';
import {
  createDamageMarker,
  hasDamageMarker,
  hasLostChanges,
} from '../../../src/storage/sqlite/integrity/damage-marker.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { spawnGuarded } from '../../support/guard.ts';
import { ROOT } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { openScratch } from './scratch.ts';

const CUT = '-wal was cut short';

const scratch = useEach(openScratch);

describe.skipIf(process.platform !== 'linux')('after a cut of the -wal,', () => {
  let database: Database;
  let observed: Observation[];
  const add = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));
  const wal = () => `${scratch.path}-wal`;
  const cutInHalf = () => truncateSync(wal(), Math.floor(statSync(wal()).size / 2));
  beforeEach(async () => {
    observed = [];
    database = openSqlite(scratch.path, { observe: (event) => observed.push(event) });
    for (let count = 0; count < 20; count += 1) await add();
  });
  afterEach(() => database.close());

  const expectDamaged = () => {
    expect(() => database.checkHealth()).toThrow(CUT);
    expect(() => database.version()).toThrow(CUT);
    expect(observed.map((one) => 'error' in one && (one.error as Error).message)).toEqual([
      expect.stringMatching(/^\S+ is damaged \(\S+-wal was cut short or overwritten\): stop/),
    ]);
    expect(hasLostChanges(scratch.path)).toBe(true);
  };

  test('a write fails, and writes nothing', async () => {
    cutInHalf();
    const { size } = statSync(wal());
    await expect(add()).rejects.toThrow(CUT);
    expect(statSync(wal()).size).toBe(size);
    expectDamaged();
  });

  test('a write during which it was made fails', async () => {
    const added = database.write(BY_TEST, ({ pets }) => {
      cutInHalf();
      return pets.create(rex());
    });
    await expect(added).rejects.toThrow(CUT);
    expectDamaged();
  });

  test.each([true, false])(
    'its gap does not get into the database file, not even at the end (known by another process only: %p)',
    async (isKnownByOther) => {
      const before = readFileSync(scratch.path);
      const added = database.write(BY_TEST, ({ pets }) => {
        if (isKnownByOther) createDamageMarker(scratch.path, { changesLost: true });
        else truncateSync(wal(), 0);
        return pets.create(rex());
      });
      await expect(added).rejects.toThrow(CUT);
      await database.close();
      expect(readFileSync(scratch.path).equals(before)).toBeTrue();
    },
  );

  test('the close of the database finds the cut', async () => {
    cutInHalf();
    await database.close();
    expect(hasLostChanges(scratch.path)).toBe(true);
  });

  test('a check finds it without a write', () => {
    cutInHalf();
    expectDamaged();
  });

  test('a check learns of a cut that another process has found, and not of other damage', () => {
    createDamageMarker(scratch.path, { changesLost: false });
    database.checkHealth();
    createDamageMarker(scratch.path, { changesLost: true });
    expectDamaged();
  });

  test('a start that checks the whole file is refused if another process finds the cut meanwhile', () => {
    createDamageMarker(scratch.path, { changesLost: false });
    const announce = () => createDamageMarker(scratch.path, { changesLost: true });
    expect(() => openSqlite(scratch.path, { announce })).toThrow('changes are missing');
    expectDamaged();
  });

  test('an import fails', async () => {
    const animals = await database.transfer.beginImport(() => BY_TEST);
    await animals.add([rex()]);
    cutInHalf();
    await expect(animals.commit()).rejects.toThrow(CUT);
    expectDamaged();
  });
});

test('a marker of lost changes replaces one of other damage, and is not replaced by it', () => {
  const { path } = scratch;
  createDamageMarker(path, { changesLost: false });
  expect([hasDamageMarker(path), hasLostChanges(path)]).toEqual([true, false]);
  createDamageMarker(path, { changesLost: true });
  createDamageMarker(path, { changesLost: false });
  expect([hasDamageMarker(path), hasLostChanges(path)]).toEqual([true, true]);
  expect(readFileSync(`${path}-damaged`, 'utf8')).toContain('restore a backup');
});

test.each([true, false])(
  'a marker beside a file that was removed does not hinder a new database, and is removed (lost changes: %p)',
  async (changesLost) => {
    createDamageMarker(scratch.path, { changesLost });
    await openSqlite(scratch.path).close();
    expect(scratch.files()).toEqual(['animals.db']);
  },
);

test('a marker of damage beside an empty file is obeyed', () => {
  writeFileSync(scratch.path, '');
  createDamageMarker(scratch.path, { changesLost: false });
  expect(() => openSqlite(scratch.path)).toThrow(`is damaged (the file is empty)`);
});

const ADDED = 200;

/** Writes and checkpoints until 100 rounds are over. */
const OTHER_PROCESS = `
  const { openForWriting } = require(process.argv[2]);
  const connection = openForWriting(process.argv[1]);
  connection.run('PRAGMA busy_timeout = 5000');
  const modes = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'];
  for (let round = 0; round < 100; round += 1) {
    connection.run('INSERT INTO categories (id, name) VALUES (?, ?)', [round, 'Dogs']);
    connection.run('PRAGMA wal_checkpoint(' + modes[round % modes.length] + ')');
  }
  connection.close(true);
`;

test('100 rounds of checkpoints by another connection and another process are no damage, while both processes write', async () => {
  const observed: unknown[] = [];
  const database = openSqlite(scratch.path, { observe: (event) => observed.push(event) });
  try {
    const connection = `${ROOT}src/storage/sqlite/connections/connection.ts`;
    const other = spawnGuarded([process.execPath, '-e', OTHER_PROCESS, scratch.path, connection], {
      stderr: 'pipe',
    });
    const foreign = scratch.foreign();
    let added = 0;
    let isOver = false;
    other.exited.then(() => {
      isOver = true;
    });
    const clients = Array.from({ length: 8 }, async () => {
      for (; !isOver || added < ADDED; added += 1) {
        await database.addPet(BY_TEST, { name: 'Rex', categoryId: 1 });
        // Lets the other process have the lock.
        await Bun.sleep(2);
      }
    });
    for (let round = 0; round < 100 || !isOver; round += 1) {
      foreign.run(
        `PRAGMA wal_checkpoint(${['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'][round % 4]})`,
      );
      await database.checkHealth();
      await Bun.sleep(1);
    }
    await Promise.all(clients);
    expect([other.exitCode, await new Response(other.stderr).text()]).toEqual([0, '']);
    expect(observed).toEqual([]);
  } finally {
    await database.close();
  }
});
