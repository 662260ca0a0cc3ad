import { beforeEach, describe, expect, test } from 'bun:test';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import type { Observation } from '../../../src/observe/observation.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { FullDisk } from '../../../src/storage/sqlite/integrity/full-disk.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { BY_TEST } from '../../support/cause.ts';
import { canMount, withSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { openScratch, pragma } from './scratch.ts';

/** The time between two attempts to write. */
const RETRY_MS = 1_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

type Work = (file: (name: string) => string, fill: () => void) => Promise<void>;

/** Runs `work` in a folder on a disk of 1 MiB. `fill` leaves no space. */
const testOnSmallDisk = (name: string, work: Work) =>
  test.skipIf(!canMount)(name, async () => {
    const { path, file, remove } = temporaryFolder();
    const fill = () => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(file('ballast'), Buffer.alloc(bavail * bsize));
    };
    await withSmallDisk(path, '1m', () => work(file, fill));
    remove();
  });

testOnSmallDisk('a small write alone does not make a full disk usable', async (file, fill) => {
  const kinds: Observation['kind'][] = [];
  let nowMs = 0;
  // As in a -wal that has space for this write, but not for those of the clients.
  const tryWrite = async () => writeFileSync(file('small'), 'x');
  const disk = new FullDisk(
    file('a.db'),
    tryWrite,
    ({ kind }) => kinds.push(kind),
    () => nowMs,
  );
  const check = async () => {
    nowMs += RETRY_MS;
    disk.check();
    await nextTurn();
  };
  await tryWrite();
  fill();
  // Space is low, and writes work.
  await check();
  expect(kinds).toEqual([]);

  disk.onFailure(new StorageError('full', 'The disk is full.'), 1);
  await check();
  expect(kinds).toEqual(['writes_unavailable']);
  expect(disk.isFull).toBeTrue();
  rmSync(file('ballast'));
  await check();
  expect(kinds).toEqual(['writes_unavailable', 'writes_available']);
  expect(disk.isFull).toBeFalse();
});

testOnSmallDisk('a close reports that the -wal finds no space in the file', async (file, fill) => {
  const kinds: Observation['kind'][] = [];
  const database = openSqlite(file('a.db'), { observe: ({ kind }) => kinds.push(kind) });
  await database.write(BY_TEST, ({ pets }) => pets.createAll(Array(1_000).fill(rex())));
  fill();
  await database.close();
  expect(kinds).toEqual(['checkpoint_failed']);
});

testOnSmallDisk('an open reports that the -shm finds no space', async (file, fill) => {
  const open = () => openSqlite(file('a.db'));
  await open().close();
  fill();
  expect(open).toThrow(new StorageError('full', 'The disk or the database is full.'));
});

describe('the number of failed writes that is reported when writes work again', () => {
  const HUGE = 'x'.repeat(100_000);
  const scratch = useEach(openScratch);
  let writer: Writer;
  let disk: FullDisk;
  let observed: Observation[];
  let attempt: Promise<unknown> | undefined;
  let nowMs: number;
  beforeEach(() => {
    writer = new Writer(scratch.writing(), {
      onFailure: (failure, writes) => disk.onFailure(failure, writes),
    });
    writer.connection.run('CREATE TABLE notes (text TEXT) STRICT');
    observed = [];
    nowMs = 0;
    attempt = undefined;
    const tryWrite = () => {
      attempt = note();
      return attempt;
    };
    disk = new FullDisk(
      scratch.path,
      tryWrite,
      (observation) => observed.push(observation),
      () => nowMs,
    );
  });

  const note = () =>
    writer.write(() => writer.connection.query('INSERT INTO notes VALUES (?)').run(HUGE));
  const limitSpace = () =>
    pragma(writer.connection, `max_page_count = ${pragma(writer.connection, 'page_count')}`);
  const freeSpace = () => pragma(writer.connection, 'max_page_count = 1000000');
  /** Fails writes that are executed together. */
  const failWrites = (count: number) => Promise.allSettled(Array.from({ length: count }, note));
  /** Lets the disk try to write. @returns whether that succeeded */
  async function check(): Promise<boolean> {
    nowMs += RETRY_MS;
    disk.check();
    const tried = attempt;
    nowMs += RETRY_MS;
    disk.check();
    expect(attempt).toBe(tried);
    const [{ status }] = await Promise.allSettled([attempt]);
    await nextTurn();
    return status === 'fulfilled';
  }
  const reported = () =>
    observed.flatMap((one) =>
      one.kind === 'writes_available' ? [[one.failedWrites, one.unavailableSeconds]] : [],
    );

  test('counts every write of each batch, and not the attempts of the service', async () => {
    limitSpace();
    await failWrites(3);
    disk.check();
    expect(attempt).toBeUndefined();
    expect(await check()).toBeFalse();
    await failWrites(2);
    expect(await check()).toBeFalse();
    freeSpace();
    expect(await check()).toBeTrue();
    expect(reported()).toEqual([[5, 6]]);
  });

  test('begins with 0 after each report', async () => {
    for (const count of [3, 1]) {
      limitSpace();
      await failWrites(count);
      freeSpace();
      expect(await check()).toBeTrue();
    }
    expect(reported()).toEqual([
      [3, 2],
      [1, 2],
    ]);
  });
});
