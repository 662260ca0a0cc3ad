import type { Int64 } from '../../../int64.ts';
import type { Insertion } from '../../insertion.ts';
import { type CellRow, type Row, selectListOf } from '../../rows.ts';
import { unnest } from './arrays.ts';

function textOnce(write: (into: Insertion) => string): (into: Insertion) => string {
  const texts = new WeakMap<Insertion, string>();
  return (into) => {
    let text = texts.get(into);
    if (text === undefined) {
      text = write(into);
      texts.set(into, text);
    }
    return text;
  };
}

export const insertOf = textOnce(
  ({ table, columns }) => `INSERT INTO animal_store.${table.name} (${columns.join(', ')})
    VALUES (${columns.map((_column, index) => `$${index + 1}`).join(', ')}) RETURNING id`,
);

export const insertAllOf = textOnce(({ table, columns, types }) => {
  const list = columns.join(', ');
  return `INSERT INTO animal_store.${table.name} (${list})
    SELECT ${list} FROM ${unnest(types)} WITH ORDINALITY AS added (${list}, position) ORDER BY position
    RETURNING ${selectListOf(table)}`;
});

/** The same, and an event of each addition. The ids ascend in the order of the rows, as their causes do. */
export const insertAndRecordOf = textOnce((into) => {
  const width = into.columns.length;
  return `WITH added AS (${insertAllOf(into)}), recorded AS (
    INSERT INTO animal_store.outbox (type, collection, resource_id, at, key_id, content)
    SELECT $${width + 1}::smallint, $${width + 2}::smallint, id, ($${width + 3}::bigint[])[position], ($${width + 4}::bigint[])[position],
      '{"data":' || json_strip_nulls(resource) || '}'
    FROM (SELECT id, row_to_json(added) AS resource, row_number() OVER (ORDER BY id) AS position FROM added) AS numbered
    ORDER BY position
  )
  SELECT * FROM added`;
});

/** The server returns the rows in the order of insertion. A client must never receive the id of another resource. */
export function idsOf(
  added: readonly Row[],
  { fields }: Insertion,
  rows: readonly CellRow[],
): Int64[] {
  return rows.map((cells, index) => {
    const row = added[index];
    if (row === undefined || !fields.every((field, column) => row[field] === cells[column]))
      throw new Error('The server returned the added rows changed, or in another order.');
    return row['id'] as Int64;
  });
}
