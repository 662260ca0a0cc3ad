/** The commits of background jobs keep the version of the file, unless anything else was committed. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { createUsageCounter, deleteOldEvents } from '../../../src/server/background-jobs.ts';
import { openWalIndex, type WalIndex } from '../../../src/storage/sqlite/connections/wal-index.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { Versions } from '../../../src/storage/sqlite/transactions/versions.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { newKey } from '../new-key.ts';
import { openScratch } from './scratch.ts';

const scratch = useEach(openScratch);

/** Commits in another process, which takes the write lock for it. */
const addElsewhere = () => {
  const program = `const db = new (require('bun:sqlite').Database)(process.argv[1]);
    db.run("INSERT INTO pets (name, category_id) VALUES ('other', 1)"); db.close();`;
  const { exitCode } = Bun.spawnSync([process.execPath, '-e', program, scratch.path]);
  expect(exitCode).toBe(0);
};
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('a commit of a job', () => {
  const database = useEach(() => openSqlite(scratch.path));

  const addPet = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));
  const addUsage = () => {
    const usage = createUsageCounter(database, { now: () => 1 });
    usage.count(1, 'listPets', 1);
    return usage.flush();
  };
  const addKey = () => database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey('key')));

  beforeEach(addKey);

  onLinux('keeps the version, and counts as a change of what it changes', async () => {
    const before = database.version();
    const counts = () =>
      [['usage'], ['apiKeys'], ['pets'], []].map((one) => database.changesOf(one));
    expect(counts()).toEqual([0, 0, 0, 0]);
    await addUsage();
    expect(database.version()).toBe(before);
    expect(counts()).toEqual([1, 1, 0, 0]);
    await addUsage();
    expect(database.version()).toBe(before);
    expect(database.changesOf(['usage', 'pets'])).toBe(2);
  });

  onLinux('keeps the version 500 times, with resets of the WAL in between', async () => {
    for (let count = 0; count < 500; count += 1) {
      const before = database.version();
      await addUsage();
      expect(database.version()).toBe(before);
      if (count % 25 === 0) scratch.foreign().run('PRAGMA wal_checkpoint(TRUNCATE)');
    }
  });

  test.each([
    ['before it that nobody has seen', [addPet, addUsage]],
    ['of another process before it', [addElsewhere, addUsage]],
    ['of another process after it', [addUsage, addElsewhere]],
  ])('does not hide a commit %s', async (_which, commits) => {
    const before = database.version();
    for (const commit of commits) await commit();
    expect(database.version()).not.toBe(before);
  });

  onLinux('does not hide a commit of another process between COMMIT and its end', () => {
    const own = scratch.foreign();
    const watch = openWalIndex(scratch.path) as WalIndex;
    const versions = new Versions(watch, own);
    const addHere = () => own.run("INSERT OR REPLACE INTO categories VALUES (1, 'Dogs')");
    for (const commits of [[addHere], [addHere, addElsewhere], [addElsewhere]]) {
      const before = watch.version();
      const endCommit = versions.beginCommit(['usage']);
      for (const commit of commits) commit();
      endCommit();
      expect(watch.version() === before).toBe(!commits.includes(addElsewhere));
      expect(versions.changesOf(['usage'])).toBe(1);
    }
    watch.close();
  });

  test('that shares its transaction with a write of a request keeps nothing', async () => {
    for (const order of [
      [addPet, addUsage],
      [addUsage, addPet],
    ]) {
      const before = database.version();
      await Promise.all(order.map((write) => write()));
      expect(database.version()).not.toBe(before);
    }
  });

  onLinux('that deletes events also changes deliveries, and no animals', async () => {
    await addPet();
    const counts = () => ['events', 'webhooks', 'pets'].map((one) => database.changesOf([one]));
    expect(counts()).toEqual([0, 0, 0]);
    const clock = { now: () => Number.MAX_SAFE_INTEGER };
    await deleteOldEvents({ database, clock, eventRetentionMs: 1 }, async () => true);
    expect((await database.read.events.times()).oldestAt).toBeNull();
    expect(counts()).toEqual([1, 1, 0]);
  });

  test('that fails changes nothing', async () => {
    const before = database.version();
    const failing = database.write(
      BY_TEST,
      () => {
        throw new Error('no');
      },
      { onlyChanges: ['usage'] },
    );
    await expect(failing).rejects.toThrow('no');
    expect(database.version()).toBe(before);
    expect(database.read.pets.list(EVERY, undefined, 1)).toEqual([]);
  });
});
