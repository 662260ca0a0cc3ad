import type { Database as Sqlite } from 'bun:sqlite';
import { beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../src/clock.ts';
import { StorageError } from '../../../src/storage/database.ts';
import {
  openForWriting,
  setBusyTimeout,
} from '../../../src/storage/sqlite/connections/connection.ts';
import { translateErrors } from '../../../src/storage/sqlite/failures.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { WriteLock } from '../../../src/storage/sqlite/transactions/write-lock.ts';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { countPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { spawnGuarded } from '../../support/guard.ts';
import { EVERY } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { readAll, rex } from '../animals.ts';
import { openScratch } from './scratch.ts';

const scratch = useEach(openScratch);

describe('while another process holds the write lock', () => {
  const database = useEach(() => openSqlite(scratch.path));
  let holder: Sqlite;
  beforeEach(() => {
    holder = scratch.writing();
    holder.run('BEGIN IMMEDIATE');
  });

  test('a write waits without blocking timers and reads, then succeeds', async () => {
    let isDone = false;
    const created = database.addPet(BY_TEST, rex()).finally(() => {
      isDone = true;
    });
    for (let tick = 0; tick < 6; tick++) {
      await sleep(5);
      expect(await database.read.pets.list(EVERY, 0, 20)).toEqual([]);
    }
    expect(isDone).toBe(false);
    holder.run('COMMIT');
    expect(await created).toEqual({ id: 1, ...rex() });
  });

  test('an import accepts rows, and commits after it', async () => {
    const committed = importPets(database, [rex()]);
    await sleep(5);
    expect(await countPets(database)).toBe(0);
    holder.run('COMMIT');
    expect(await committed).toBe(1);
  });

  test('closing waits for accepted writes', async () => {
    const created = database.addPet(BY_TEST, rex());
    const closed = database.close();
    await sleep(5);
    holder.run('COMMIT');
    await closed;
    expect((await created).id).toBe(1);
  });

  test('a write fails as unavailable after its timeout, and a later one succeeds', async () => {
    const busyTimeoutMs = 60;
    const writer = new Writer(scratch.writing(), { busyTimeoutMs });
    const startedMs = monotonicMs();
    const insert = (name: string) =>
      writer.write(() =>
        writer.connection.query('INSERT INTO pets (name, category_id) VALUES (?, 1)').run(name),
      );
    const outcomes = await Promise.allSettled([insert('one'), insert('two')]);
    expect(monotonicMs() - startedMs).toBeGreaterThanOrEqual(busyTimeoutMs);
    for (const outcome of outcomes) {
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StorageError);
      expect(outcome).toMatchObject({
        reason: { failure: 'unavailable', message: 'Another process holds the write lock.' },
      });
    }
    holder.run('COMMIT');
    await insert('three');
    expect((await readAll(database)).map(({ name }) => name)).toEqual(['three']);
  });

  test('an error for another reason is not waited for', () => {
    expect(() => new WriteLock(holder, 60).tryBegin()).toThrow('within a transaction');
  });

  test('later writes fail together with the first one', async () => {
    const writer = new Writer(scratch.writing(), { busyTimeoutMs: 60 });
    let refused = 0;
    const attempt = () => writer.write(() => {}).catch(() => (refused += 1));
    const { begin } = WriteLock.prototype;
    const waiting = spyOn(WriteLock.prototype, 'begin').mockImplementationOnce(function begins() {
      void attempt();
      return begin.call(waiting.mock.contexts[0] as WriteLock);
    });
    await attempt();
    waiting.mockRestore();
    expect(refused).toBe(2);
  });
});

describe('opening a file that is not in WAL mode yet, while another connection holds the write lock,', () => {
  let holder: Sqlite;
  beforeEach(() => {
    holder = scratch.foreign();
    setBusyTimeout(holder, 5_000);
    holder.run('BEGIN IMMEDIATE');
    // With a change, COMMIT succeeds only if no other connection has a read lock.
    holder.run('CREATE TABLE t (v INTEGER)');
    holder.run('DROP TABLE t');
  });

  test('waits until the lock is released', async () => {
    const open = new URL('../../../src/storage/sqlite/open.ts', import.meta.url).pathname;
    const program = `
      const { openSqlite } = await import(${JSON.stringify(open)});
      console.log('opening');
      const database = openSqlite(${JSON.stringify(scratch.path)});
      console.log('opened');
      await database.close();`;
    const child = spawnGuarded([process.execPath, '-e', program], {
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const errors = new Response(child.stderr).text();
    let output = '';
    const finished = (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    while (output === '') await sleep(1);
    await sleep(300);
    expect(output).toBe('opening\n');
    holder.run('COMMIT');
    await finished;
    expect(await errors).toBe('');
    expect(await child.exited).toBe(0);
    expect(output).toBe('opening\nopened\n');
  });

  test('fails if the lock is held longer than the timeout', () => {
    const open = () => translateErrors(() => openForWriting(scratch.path, undefined, 50));
    expect(open).toThrow(
      new StorageError('unavailable', 'The database cannot be used: database is locked.'),
    );
    holder.run('COMMIT');
    open().close(true);
  });
});
