/** A -wal that another program cut short. SQLite itself does not notice it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { openWalIndex, type WalIndex } from '../../../src/storage/sqlite/connections/wal-index.ts';
import { type WalWatch, watchWal } from '../../../src/storage/sqlite/integrity/cut-wal.ts';
import { openScratch, type Scratch } from './scratch.ts';

const FRAME_BYTES = 24 + 4096;
const frameAt = (frame: number) => 32 + frame * FRAME_BYTES;

describe.skipIf(process.platform !== 'linux')('a watch of the -wal', () => {
  let scratch: Scratch;
  let wal: string;
  let connection: ReturnType<Scratch['writing']>;
  let index: WalIndex | undefined;
  let watch: WalWatch;
  beforeEach(() => {
    scratch = openScratch();
    connection = scratch.writing();
    connection.run('CREATE TABLE notes (text TEXT) STRICT');
    wal = `${scratch.path}-wal`;
    index = openWalIndex(scratch.path);
    watch = watchWal(scratch.path, index);
  });
  afterEach(() => {
    watch.close();
    scratch.remove();
    index?.close();
  });

  const add = () => connection.run("INSERT INTO notes VALUES ('a note')");
  const frames = () => index?.content()?.frames ?? 0;

  test('knows the frames, the size of a page and the salt that the file has', () => {
    add();
    const content = index?.content();
    const file = readFileSync(wal);
    expect(file.length).toBe(frameAt(frames()));
    expect(content?.pageSize).toBe(4096);
    expect(content?.salt).toEqual([file.readUInt32LE(16), file.readUInt32LE(20)]);
  });

  test('finds any cut of the committed frames, and no cut behind them', () => {
    for (let count = 0; count < 10; count += 1) add();
    const whole = readFileSync(wal);
    for (const size of [0, 1, 16, 24, 31, 32, 33, frameAt(1), frameAt(5) + 7, whole.length - 1]) {
      truncateSync(wal, size);
      expect([size, watch.isCut()]).toEqual([size, true]);
      writeFileSync(wal, whole);
      expect([size, watch.isCut()]).toEqual([size, false]);
    }
    connection.run('PRAGMA wal_checkpoint(RESTART)');
    add();
    expect(frames()).toBeLessThan(10);
    truncateSync(wal, frameAt(frames()));
    expect(watch.isCut()).toBe(false);
  });

  test.each([0, 1])('finds a header of zeros in a file of full size, after %i checks', (checks) => {
    add();
    for (let check = 0; check < checks; check += 1) expect(watch.isCut()).toBe(false);
    const file = readFileSync(wal);
    writeFileSync(wal, file.fill(0, 0, 32));
    expect(watch.isCut()).toBe(true);
  });

  test.each([
    ['to nothing', () => 0],
    ['in the middle', () => frameAt(frames() / 2)],
    ['before the last frame', () => frameAt(frames() - 1)],
    ['by a byte', () => frameAt(frames()) - 1],
  ])(
    'finds a cut %s that is made within a transaction, and filled by its COMMIT',
    (_place, size) => {
      while (frames() < 10) add();
      connection.run('BEGIN IMMEDIATE');
      expect(watch.isCut()).toBe(false);
      const before = statSync(wal).size;
      truncateSync(wal, Math.floor(size()));
      add();
      connection.run('COMMIT');
      expect(statSync(wal).size).toBeGreaterThan(before);
      expect(watch.isCut()).toBe(true);
    },
  );

  test('finds a cut that is made after COMMIT and takes nothing but new frames', () => {
    while (frames() < 10) add();
    expect(watch.isCut()).toBe(false);
    add();
    truncateSync(wal, frameAt(frames()) - 1);
    expect(watch.isCut()).toBe(true);
  });

  test('knows nothing while the two copies of the header in the index differ', () => {
    add();
    // It stays open until the end: closing it would release the locks of the connections.
    const shm = openSync(`${scratch.path}-shm`, 'r+');
    const word = Buffer.alloc(4);
    readSync(shm, word, 0, 4, 48 + 16);
    writeSync(shm, Buffer.from([0xff, 0xff, 0xff, 0x00]), 0, 4, 48 + 16);
    expect([index?.content(), watch.isCut()]).toEqual([undefined, false]);
    writeSync(shm, word, 0, 4, 48 + 16);
    expect(index?.content()?.frames).toBe(word.readUInt32LE(0));
  });

  test('knows the largest size of a page', () => {
    using other = openScratch();
    const large = other.foreign();
    large.run('PRAGMA page_size = 65536');
    large.run('PRAGMA journal_mode = WAL');
    large.run('CREATE TABLE notes (text TEXT) STRICT');
    const largeIndex = openWalIndex(other.path);
    const largeWatch = watchWal(other.path, largeIndex);
    expect([largeIndex?.content()?.pageSize, largeWatch.isCut()]).toEqual([65_536, false]);
    truncateSync(`${other.path}-wal`, statSync(`${other.path}-wal`).size - 1);
    expect(largeWatch.isCut()).toBe(true);
    largeWatch.close();
    largeIndex?.close();
  });

  test.each(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])(
    'finds no cut after a checkpoint (%s) of another connection, and in the writes after it',
    (mode) => {
      const other = scratch.writing();
      for (let round = 0; round < 10; round += 1) {
        add();
        expect(watch.isCut()).toBe(false);
        other.run(`PRAGMA wal_checkpoint(${mode})`);
        expect(watch.isCut()).toBe(false);
        connection.run('BEGIN IMMEDIATE');
        expect(watch.isCut()).toBe(false);
        add();
        connection.run('COMMIT');
        expect(watch.isCut()).toBe(false);
      }
    },
  );

  test('finds no cut in a -wal that was shortened to its limit', () => {
    connection.run('PRAGMA journal_size_limit = 50000');
    for (let count = 0; count < 100; count += 1) add();
    connection.run('PRAGMA wal_checkpoint(RESTART)');
    const before = statSync(wal).size;
    add();
    expect(statSync(wal).size).toBeLessThan(before);
    expect(watch.isCut()).toBe(false);
  });

  test('finds nothing without an index of the -wal', () => {
    add();
    truncateSync(wal, 0);
    expect(watchWal(scratch.path, undefined).isCut()).toBe(false);
  });
});
