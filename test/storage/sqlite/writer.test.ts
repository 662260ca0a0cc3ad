import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { RUNNING_TIMEOUT_MS } from '../../../src/storage/sqlite/connections/connection.ts';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { useEach } from '../../support/use-each.ts';
import { column, openScratch, pragma } from './scratch.ts';

const scratch = useEach(openScratch);

describe('the writer', () => {
  let writer: Writer;
  let watcher: Sqlite;
  let failures: [failure: unknown, writes: number][];
  let batches: [writes: number, seconds: number][];
  beforeEach(() => {
    failures = [];
    batches = [];
    writer = new Writer(scratch.writing(), {
      onFailure: (failure, writes) => failures.push([failure, writes]),
      onBatch: (...batch) => batches.push(batch),
    });
    writer.connection.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
    watcher = scratch.reading();
  });
  afterEach(() => writer.drain());

  const insert = (text: string | null) =>
    writer.connection.query('INSERT INTO notes (text) VALUES (?)').run(text);
  const insertAndVersion = (text: string) => {
    insert(text);
    // It changes on each commit, so it is equal within a transaction.
    return pragma(watcher, 'data_version');
  };
  const note = (text: string) => writer.write(() => insert(text));
  const notes = () => column(watcher, 'SELECT text FROM notes ORDER BY id');
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => writer.write(() => insertAndVersion(`${index}`))),
    );

  test('executes simultaneous writes in order, at most 512 in a transaction', async () => {
    const startedMs = monotonicMs();
    const transactions = Map.groupBy(await fill(2_000), (version) => version).values();
    expect([...transactions].map(({ length }) => length)).toEqual([512, 512, 512, 464]);
    expect(batches.map(([writes]) => writes)).toEqual([512, 512, 512, 464]);
    const seconds = batches.reduce((sum, [, one]) => sum + one, 0);
    expect(seconds * 1_000).toBeLessThan(monotonicMs() - startedMs);
    expect(notes()).toEqual(Array.from({ length: 2_000 }, (_, index) => `${index}`));
  });

  test('rolls back a batch whose COMMIT fails, and executes the next one', async () => {
    writer.connection.run(`CREATE TABLE links (
      note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
    const link = writer.write(() => writer.connection.run('INSERT INTO links VALUES (1000)'));
    const outcomes = await Promise.allSettled([note('one'), link]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await note('two');
    expect(notes()).toEqual(['two']);
  });

  test('commits no write of a batch in which one finds damage', async () => {
    const damaged = writer.write(() => {
      throw new StorageError('damaged', 'page 7');
    });
    const outcomes = await Promise.allSettled([note('one'), damaged]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(notes()).toEqual([]);
  });

  test('restores the busy timeout for reads', async () => {
    await note('one');
    expect(pragma(writer.connection, 'busy_timeout')).toBe(RUNNING_TIMEOUT_MS);
    expect(RUNNING_TIMEOUT_MS).toBeWithin(1, 101);
  });

  test('accepts writes from within a write', async () => {
    await note('one');
    const later: Promise<unknown>[] = [];
    await writer.write(() => {
      later.push(note('three'));
      insert('two');
    });
    await Promise.all(later);
    expect(notes()).toEqual(['one', 'two', 'three']);
  });

  test('rolls back a failed write and rejects only its promise', async () => {
    const bug = new TypeError('a bug');
    const outcomes = await Promise.allSettled([
      note('before'),
      writer.write(() => {
        insert('undone');
        throw bug;
      }),
      writer.write(() => insert(null)),
      // A promise would let other writes into the transaction.
      writer.write(async () => insert('undone')),
      note('after'),
    ]);
    const failed = outcomes.map(({ status }) => status === 'rejected');
    expect(failed).toEqual([false, true, true, true, false]);
    expect(outcomes[1]).toHaveProperty('reason', bug);
    expect(outcomes[2]).toHaveProperty('reason.code', 'SQLITE_CONSTRAINT_NOTNULL');
    expect(outcomes[2]).toHaveProperty('reason.name', SQLiteError.name);
    expect(notes()).toEqual(['before', 'after']);
  });

  describe('when the database is full', () => {
    const HUGE = 'x'.repeat(100_000);
    const limitSpaceTo = (pages: number) =>
      pragma(
        writer.connection,
        `max_page_count = ${Number(pragma(writer.connection, 'page_count')) + pages}`,
      );

    test('rejects and rolls back all writes of the transaction', async () => {
      await note('earlier');
      limitSpaceTo(4);
      const outcomes = await Promise.allSettled([note('one'), note(HUGE), note('two')]);
      for (const outcome of outcomes) {
        expect(outcome).toHaveProperty('reason.failure', 'full');
        expect(outcome).toHaveProperty('reason.message', 'The disk or the database is full.');
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StorageError);
      }
      expect(notes()).toEqual(['earlier']);
      expect(writer.connection.inTransaction).toBe(false);
      expect(failures).toMatchObject([[{ failure: 'full' }, 3]]);
    });

    test('rejects and reports only the write whose statement alone is rolled back', async () => {
      limitSpaceTo(4);
      // SQLite can undo a statement for several rows by itself.
      const hugeTwice = writer.write(() =>
        writer.connection.query('INSERT INTO notes (text) VALUES (?), (?)').run(HUGE, HUGE),
      );
      const outcomes = await Promise.allSettled([note('one'), hugeTwice, note('two')]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(failures).toMatchObject([[{ failure: 'full' }, 1]]);
      expect(notes()).toEqual(['one', 'two']);
    });

    test('stores exactly the acknowledged writes', async () => {
      limitSpaceTo(40);
      const acknowledged: string[] = [];
      let refused = 0;
      for (let round = 0; round < 30; round++) {
        const texts = Array.from({ length: 10 }, (_, index) => `${round}.${index}`.padEnd(1_000));
        const outcomes = await Promise.allSettled(texts.map(note));
        outcomes.forEach(({ status }, index) => {
          if (status === 'fulfilled') acknowledged.push(texts[index] ?? '');
          else refused += 1;
        });
      }
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(0);
      expect(notes()).toEqual(acknowledged);
      expect(column(watcher, 'PRAGMA integrity_check')).toEqual(['ok']);
    });
  });

  test('a write of many rows shares a transaction with the small ones beside it, and not with another of many rows', async () => {
    const write = (text: string, rows?: number) =>
      writer.write(() => insertAndVersion(text), rows === undefined ? {} : { rows });
    const small = (count: number) => Array.from({ length: count }, () => write('small'));
    const transactions = await Promise.all([
      ...[...small(3), write('first', 1_000), ...small(498)],
      ...[write('second', 1_000), ...small(2), write('huge', 5_000), write('third', 1_000)],
    ]);
    const sizes = [...Map.groupBy(transactions, (version) => version).values()];
    expect(sizes.map(({ length }) => length)).toEqual([501, 4, 1, 1]);
    expect(notes().filter((text) => text !== 'small')).toEqual([
      'first',
      'second',
      'huge',
      'third',
    ]);
  });

  test('writes are acknowledged before the checkpoint that follows, and requests come in between', async () => {
    const steps: string[] = [];
    const own = new Writer(scratch.writing(), {
      checkpoint: { isDue: () => steps.length < 3, run: () => void steps.push('checkpoint') },
    });
    const write = own.write(() => {
      setImmediate(() => steps.push('request'));
    });
    await write.then(() => steps.push('acknowledged'));
    await own.drain();
    await own.write(() => {});
    await own.drain();
    expect(steps).toEqual(['acknowledged', 'request', 'checkpoint']);
  });

  describe('writes of a group', () => {
    let calls: string[][];
    beforeEach(() => {
      calls = [];
    });
    const insertAll = (texts: readonly string[]) => {
      calls.push([...texts]);
      for (const text of texts) insert(text === 'bad' ? null : text);
      return texts.map((text) => `added ${text}`);
    };
    const grouped = (text: string) => writer.writeInGroup(insertAll, text);

    test('are executed in one call if they are consecutive, in order', async () => {
      const results = await Promise.all([
        grouped('one'),
        grouped('two'),
        note('alone'),
        grouped('three'),
        grouped('four'),
      ]);
      expect(calls).toEqual([
        ['one', 'two'],
        ['three', 'four'],
      ]);
      expect(results).toMatchObject(['added one', 'added two', {}, 'added three', 'added four']);
      expect(notes()).toEqual(['one', 'two', 'alone', 'three', 'four']);
    });

    test('are not mixed with those of other work', async () => {
      const others: string[][] = [];
      const other = (texts: readonly string[]) => {
        others.push([...texts]);
        return texts;
      };
      await Promise.all([grouped('one'), writer.writeInGroup(other, 'two'), grouped('three')]);
      expect([calls, others]).toEqual([[['one'], ['three']], [['two']]]);
    });

    test('are rejected one by one: the others are stored, once', async () => {
      const outcomes = await Promise.allSettled(['one', 'bad', 'two'].map(grouped));
      expect(outcomes).toMatchObject([
        { value: 'added one' },
        { reason: { code: 'SQLITE_CONSTRAINT_NOTNULL' } },
        { value: 'added two' },
      ]);
      expect(notes()).toEqual(['one', 'two']);
    });

    test('are all rolled back by a full disk, without another attempt', async () => {
      const pages = Number(pragma(writer.connection, 'page_count'));
      pragma(writer.connection, `max_page_count = ${pages + 4}`);
      const texts = ['one', 'x'.repeat(100_000), 'two'];
      const outcomes = await Promise.allSettled(texts.map(grouped));
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(notes()).toEqual([]);
      expect(calls).toEqual([texts]);
    });
  });
});
