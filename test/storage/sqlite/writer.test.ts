import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { StorageError } from '../../../src/storage/database.ts';
import { RUNNING_TIMEOUT_MS } from '../../../src/storage/sqlite/connections/connection.ts';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { column, openScratch, pragma, type Scratch } from './scratch.ts';

describe('the writer', () => {
  let scratch: Scratch;
  let writer: Writer;
  let watcher: Sqlite;
  beforeEach(() => {
    scratch = openScratch();
    writer = new Writer(scratch.writing());
    writer.connection.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
    watcher = scratch.reading();
  });
  afterEach(async () => {
    await writer.drain();
    scratch.remove();
  });

  const insert = (text: string | null) =>
    writer.connection.query('INSERT INTO notes (text) VALUES (?)').run(text);
  const note = (text: string) => writer.write(() => insert(text));
  const notes = () => column(watcher, 'SELECT text FROM notes ORDER BY id');
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        writer.write(() => {
          insert(`${index}`);
          // What another connection sees changes with each commit: equal for all of one transaction.
          return pragma(watcher, 'data_version');
        }),
      ),
    );

  test('resolves with what the work returned', async () => {
    expect(await writer.write(() => 7)).toBe(7);
    expect(await writer.write(() => undefined)).toBeUndefined();
  });

  test('resolves only when others can see the write', async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        await note(`${index}`);
        expect(notes()).toContain(`${index}`);
      }),
    );
  });

  test('puts writes of one moment into one transaction, in their order', async () => {
    expect(new Set(await fill(300)).size).toBe(1);
    expect(notes()).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
  });

  test('puts very many into few transactions', async () => {
    const transactions = new Set(await fill(2_000)).size;
    expect(transactions).toBeGreaterThan(1);
    expect(transactions).toBeLessThan(10);
    expect(notes()).toHaveLength(2_000);
  });

  test('leaves nothing of a batch whose commit is refused, and goes on', async () => {
    writer.connection.run(`CREATE TABLE links (
      note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT`);
    const link = writer.write(() => writer.connection.run('INSERT INTO links VALUES (1000)'));
    const outcomes = await Promise.allSettled([note('one'), link]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await note('two');
    expect(notes()).toEqual(['two']);
  });

  test('waits for the write lock itself, and leaves the engine what reads may wait for', async () => {
    await note('one');
    expect(pragma(writer.connection, 'busy_timeout')).toBe(RUNNING_TIMEOUT_MS);
    expect(RUNNING_TIMEOUT_MS).toBeWithin(1, 101);
  });

  test('shows nobody a write before its transaction ends', async () => {
    const seen = writer.write(() => {
      insert('one');
      return notes();
    });
    await note('two');
    expect(await seen).toEqual([]);
    expect(notes()).toEqual(['one', 'two']);
  });

  test('drains: nothing accepted is still waiting then', async () => {
    for (let index = 0; index < 1_000; index++) note(`${index}`);
    await writer.drain();
    expect(notes()).toHaveLength(1_000);
  });

  test('takes writes that a write brings about', async () => {
    await note('one');
    const later: Promise<unknown>[] = [];
    await writer.write(() => {
      later.push(note('three'));
      insert('two');
    });
    await Promise.all(later);
    expect(notes()).toEqual(['one', 'two', 'three']);
  });

  test('gives an error to its caller alone, and leaves nothing of that write behind', async () => {
    const bug = new TypeError('a bug');
    const outcomes = await Promise.allSettled([
      note('before'),
      writer.write(() => {
        insert('undone');
        throw bug;
      }),
      writer.write(() => insert(null)),
      note('after'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[1]).toHaveProperty('reason', bug);
    expect(outcomes[2]).toHaveProperty('reason.code', 'SQLITE_CONSTRAINT_NOTNULL');
    expect(outcomes[2]).toHaveProperty('reason.name', SQLiteError.name);
    expect(notes()).toEqual(['before', 'after']);
  });

  describe('when the database is full', () => {
    const HUGE = 'x'.repeat(100_000);
    const leaveRoomFor = (pages: number) =>
      pragma(
        writer.connection,
        `max_page_count = ${Number(pragma(writer.connection, 'page_count')) + pages}`,
      );
    const makeRoom = () => pragma(writer.connection, 'max_page_count = 1000000');

    test('refuses all writes of that transaction: none of them is there', async () => {
      await note('earlier');
      leaveRoomFor(4);
      const outcomes = await Promise.allSettled([note('one'), note(HUGE), note('two')]);
      for (const outcome of outcomes) {
        expect(outcome).toHaveProperty('reason.failure', 'full');
        expect(outcome).toHaveProperty('reason.message', 'The disk or the database is full.');
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(StorageError);
      }
      expect(notes()).toEqual(['earlier']);
      expect(writer.connection.inTransaction).toBe(false);
    });

    test('works again once there is room', async () => {
      leaveRoomFor(4);
      await expect(note(HUGE)).rejects.toThrow(StorageError);
      await note('small');
      makeRoom();
      await note(HUGE);
      expect(notes()).toEqual(['small', HUGE]);
    });

    test('misses nothing it acknowledged and holds nothing it refused', async () => {
      leaveRoomFor(40);
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
});
