import type { Database as Sqlite } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import type { Int64 } from '../../../src/int64.ts';
import { ExactInsert } from '../../../src/storage/sqlite/statements/exact-insert.ts';
import { INT64_EDGES, int64 } from '../../support/arbitraries.ts';
import { useEach } from '../../support/use-each.ts';
import { openScratch } from './scratch.ts';

describe('an exact insert', () => {
  const scratch = useEach(openScratch);
  let connection: Sqlite;
  beforeEach(() => {
    connection = scratch.writing();
    connection.run('CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT) STRICT');
  });

  const stored = () =>
    connection.query('SELECT id, name FROM things ORDER BY id').safeIntegers(true).values();

  test('returns each id in its canonical representation', () => {
    const insert = new ExactInsert(connection, 'things', ['id']);
    for (const id of INT64_EDGES.map(int64)) expect(insert.run([id])).toBe(id);
  });

  test.each([0, 1, 1_000])('returns the ids of %d rows in their order', (count) => {
    const insert = new ExactInsert(connection, 'things', ['name']);
    insert.run(['earlier']);
    const names = Array.from({ length: count }, (_, index) => `thing ${index}`);
    const ids = insert.runAll(names.map((name) => [name]));
    expect(stored()).toEqual([
      [1n, 'earlier'],
      ...names.map((name, at) => [BigInt(ids[at] ?? 0), name]),
    ]);
  });

  test('returns exact ids when they pass 2^53', () => {
    const first = 2n ** 53n - 3n;
    connection.run('INSERT INTO things VALUES (?, NULL)', [first - 1n]);
    const rows = Array.from({ length: 7 }, (_, index) => [`thing ${index}`]);
    const ids = new ExactInsert(connection, 'things', ['name']).runAll(rows);
    expect(ids).toEqual(rows.map((_row, index) => int64(first + BigInt(index))));
  });

  test('stores every value exactly', () => {
    connection.run(
      'CREATE TABLE pairs (id INTEGER PRIMARY KEY, text TEXT, integer INTEGER) STRICT',
    );
    const texts = [
      '',
      '7',
      ' 1e3 ',
      'null',
      'Zoe\u0308',
      '🐈‍⬛',
      '"\\\n\t\u0001\u2028',
      "'; --",
      '[1]',
      null,
    ];
    const rows: [string | null, Int64 | null][] = [
      ...texts.map((text): [string | null, null] => [text, null]),
      ...INT64_EDGES.map((edge): [string, Int64] => ['x', int64(edge)]),
    ];
    new ExactInsert(connection, 'pairs', ['text', 'integer']).runAll(rows);
    const read = connection.query('SELECT text, integer FROM pairs ORDER BY id').safeIntegers(true);
    expect(read.values()).toEqual(
      rows.map(([text, integer]) => [text, integer === null ? null : BigInt(integer)]),
    );
  });
});
