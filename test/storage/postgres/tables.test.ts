/** The description of the tables is the real schema. What it leaves out would be in no copy. */
import { expect, test } from 'bun:test';
import { TABLES } from '../../../src/storage/tables.ts';
import { useShared } from '../../support/use-each.ts';
import {
  describedColumns,
  describedKeys,
  type RealColumn,
  sorted,
  UNDESCRIBED,
} from '../table-columns.ts';
import { openMigratedScratch } from './scratch.ts';

const scratch = useShared(openMigratedScratch);

test('each column is described, with its type and whether it can be NULL', async () => {
  const real = await scratch.sql<RealColumn[]>`
    SELECT table_name AS "table", column_name AS "column",
      CASE WHEN data_type IN ('smallint', 'integer') THEN 'bigint' ELSE data_type END AS type, is_nullable = 'YES' AS "isNullable"
    FROM information_schema.columns WHERE table_schema = 'animal_store'`;
  const types = { int64: 'bigint', integer: 'bigint', time: 'bigint', text: 'text' };
  expect(sorted(real.filter(({ table }) => !UNDESCRIBED.includes(table)))).toEqual(
    describedColumns({ ...types, bytes: 'bytea' }),
  );
});

test('each primary key is described, in its order', async () => {
  const rows = await scratch.sql<{ table: string; columns: string[] }[]>`
    SELECT table_name AS "table", array_agg(column_name::text ORDER BY ordinal_position) AS columns
    FROM information_schema.table_constraints JOIN information_schema.key_column_usage
      USING (table_schema, table_name, constraint_name)
    WHERE table_schema = 'animal_store' AND constraint_type = 'PRIMARY KEY' GROUP BY table_name`;
  const keys = Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
  for (const table of UNDESCRIBED) delete keys[table];
  expect(keys).toEqual(describedKeys());
});

test('the tables that assign ids have a sequence of their own', async () => {
  const rows = await scratch.sql<{ name: string }[]>`
    SELECT sequencename::text AS name FROM pg_sequences WHERE schemaname = 'animal_store' ORDER BY 1`;
  const described = TABLES.filter(({ assignsIds }) => assignsIds).map(
    ({ name }) => `${name}_id_seq`,
  );
  // The outbox is no part of a copy: its events are copied with the positions that they would get.
  expect(rows.map(({ name }) => name)).toEqual([...described, 'outbox_id_seq'].sort());
});
