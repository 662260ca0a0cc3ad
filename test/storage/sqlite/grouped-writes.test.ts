import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { column, openScratch, pragma, type Scratch } from './scratch.ts';

describe('writes of a group', () => {
  let scratch: Scratch;
  let writer: Writer;
  let calls: string[][];
  beforeEach(() => {
    scratch = openScratch();
    writer = new Writer(scratch.writing());
    writer.connection.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
    calls = [];
  });
  afterEach(async () => {
    await writer.drain();
    scratch.remove();
  });

  const insert = (text: string | null) =>
    writer.connection.query('INSERT INTO notes (text) VALUES (?)').run(text);
  const insertAll = (texts: readonly string[]) => {
    calls.push([...texts]);
    for (const text of texts) insert(text === 'bad' ? null : text);
    return texts.map((text) => `added ${text}`);
  };
  const note = (text: string) => writer.write(() => insert(text));
  const grouped = (text: string) => writer.writeInGroup(insertAll, text);
  const notes = () => column(scratch.reading(), 'SELECT text FROM notes ORDER BY id');

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
