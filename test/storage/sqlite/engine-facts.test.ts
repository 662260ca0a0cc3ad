import { SQLiteError } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import {
  isSafeRelease,
  sqliteVersion,
} from '../../../src/storage/sqlite/connections/connection.ts';
import { useEach } from '../../support/use-each.ts';
import { column, openScratch } from './scratch.ts';

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
