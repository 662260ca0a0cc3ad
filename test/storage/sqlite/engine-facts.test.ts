import { SQLiteError } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import {
  isSafeRelease,
  sqliteVersion,
} from '../../../src/storage/sqlite/connections/connection.ts';
import { useEach } from '../../support/use-each.ts';
import { column, openScratch, pragma } from './scratch.ts';

/** The behaviour of SQLite that the code depends on, so that a changed release fails here first. */
describe('SQLite', () => {
  const scratch = useEach(openScratch);
  beforeEach(() => {
    scratch
      .writing()
      .run('CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v INTEGER, s TEXT) STRICT');
  });

  const failureOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };

  test('has a release without the WAL-reset bug', () => {
    expect(isSafeRelease(sqliteVersion(scratch.reading()))).toBe(true);
  });

  test('wraps a bigint beyond 64 bits silently, so ranges are checked before binding', () => {
    const connection = scratch.writing();
    connection.query('INSERT INTO t (v) VALUES (?)').run(2n ** 64n + 5n);
    expect(column(connection, 'SELECT v FROM t')).toEqual([5]);
  });

  test('replaces a lone surrogate by U+FFFD, so such texts are refused before', () => {
    const connection = scratch.writing();
    connection.query('INSERT INTO t (s) VALUES (?)').run('a\uD800b');
    expect(column(connection, 'SELECT s FROM t')).toEqual(['a\uFFFDb']);
  });

  test('counts characters as code points, and only up to U+0000', () => {
    const connection = scratch.writing();
    const length = (text: string) =>
      connection.query<{ n: number }, [string]>('SELECT length(?) AS n').get(text)?.n;
    expect(length('🐈🐈')).toBe(2);
    expect(length('a\0bc')).toBe(1);
  });

  test('rounds an integer beyond 2^53 to one that is not safe, unless asked for bigints', () => {
    const connection = scratch.writing();
    connection.query('INSERT INTO t (v) VALUES (?), (?)').run(2n ** 53n + 1n, 2n ** 63n - 1n);
    const query = connection.query<{ v: number | bigint }, []>('SELECT v FROM t');
    const rounded = query.all().map(({ v }) => v);
    expect(rounded).toEqual([2 ** 53, 2 ** 63]);
    expect(rounded.some(Number.isSafeInteger)).toBe(false);
    expect(
      query
        .safeIntegers(true)
        .all()
        .map(({ v }) => v),
    ).toEqual([2n ** 53n + 1n, 2n ** 63n - 1n]);
  });

  test('reads every 64-bit integer from JSON exactly', () => {
    const json = '[-9223372036854775808, 9007199254740993, 9223372036854775807]';
    const rows = scratch
      .reading()
      .query<{ value: bigint }, [string]>('SELECT value FROM json_each(?)')
      .safeIntegers(true)
      .all(json);
    expect(rows.map(({ value }) => value)).toEqual([-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n]);
  });

  test('rolls back the whole transaction when the database is full', () => {
    const connection = scratch.writing();
    connection.run(`PRAGMA max_page_count = ${pragma(connection, 'page_count')}`);
    connection.run('BEGIN IMMEDIATE');
    connection.run('INSERT INTO t (v) VALUES (1)');
    connection.run('SAVEPOINT pending_write');
    const insert = connection.query('INSERT INTO t (s) VALUES (?)');
    expect(failureOf(() => insert.run('x'.repeat(100_000)))).toMatchObject({ code: 'SQLITE_FULL' });
    expect(connection.inTransaction).toBe(false);
    expect(column(connection, 'SELECT v FROM t')).toEqual([]);
  });

  test('keeps the transaction open when a constraint fails', () => {
    const connection = scratch.writing();
    connection.run('BEGIN IMMEDIATE');
    connection.run('INSERT INTO t (id) VALUES (1)');
    expect(failureOf(() => connection.run('INSERT INTO t (id) VALUES (1)'))).toMatchObject({
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
    expect(connection.inTransaction).toBe(true);
    connection.run('ROLLBACK');
  });

  test('is full when the highest AUTOINCREMENT id is assigned', () => {
    const connection = scratch.writing();
    connection.query('INSERT INTO t (id) VALUES (?)').run(2n ** 63n - 1n);
    const insert = () => connection.run('INSERT INTO t (v) VALUES (1)');
    expect(failureOf(insert)).toMatchObject({ code: 'SQLITE_FULL' });
  });

  test('fails immediately, despite the busy timeout, when a read transaction writes after another commit', () => {
    const [late, other] = [scratch.writing(), scratch.writing()];
    late.run('BEGIN');
    column(late, 'SELECT v FROM t');
    other.run('INSERT INTO t (v) VALUES (1)');
    const failure = failureOf(() => late.run('INSERT INTO t (v) VALUES (2)'));
    expect(failure).toBeInstanceOf(SQLiteError);
    expect(failure).toMatchObject({ code: 'SQLITE_BUSY_SNAPSHOT' });
    late.run('ROLLBACK');
  });
});
