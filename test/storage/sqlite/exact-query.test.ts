import type { Database as Sqlite } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Int64 } from '../../../src/int64.ts';
import { ExactQuery } from '../../../src/storage/sqlite/statements/exact-query.ts';
import { anyInt64, INT64_EDGES, int64 } from '../../support/arbitraries.ts';
import { useEach } from '../../support/use-each.ts';
import { openScratch } from './scratch.ts';

interface Row {
  readonly value: Int64;
  readonly text: string;
}

describe('an exact query', () => {
  const scratch = useEach(openScratch);
  let connection: Sqlite;
  beforeEach(() => {
    connection = scratch.writing();
  });

  /** A query that returns one row for each value. */
  const queryFor = (values: readonly Int64[]) => {
    const sql = values.map(() => 'SELECT ? AS value, ? AS text').join(' UNION ALL ');
    const query = new ExactQuery<Row>(connection, sql, ['value']);
    return { query, params: values.flatMap((value) => [value, `${value}`]) };
  };

  test('returns each integer in its canonical representation', () => {
    for (const value of INT64_EDGES.map(int64)) {
      const { query, params } = queryFor([value]);
      expect(query.get(...params)).toEqual({ value, text: `${value}` });
      expect(query.all(...params)).toEqual([{ value, text: `${value}` }]);
    }
  });

  test('returns any integers exactly, in order', () => {
    const values = fc.array(anyInt64, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (expected) => {
        const { query, params } = queryFor(expected);
        expect(query.all(...params).map(({ value }) => value)).toEqual(expected);
      }),
    );
  });

  test('returns no rows if none match', () => {
    const query = new ExactQuery<Row>(connection, "SELECT 1 AS value, '' AS text WHERE ?", [
      'value',
    ]);
    expect(query.all(0)).toEqual([]);
    expect(query.get(0)).toBeNull();
  });
});
