import type { Database as Sqlite } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import {
  foldColumnsOf,
  foldedTables,
  foldFault,
  type WrongFold,
  wrongFolds,
} from '../../folded-texts.ts';
import type { Fault } from '../../maintenance.ts';
import type { Row } from '../../rows.ts';
import type { AnyTable } from '../../tables.ts';
import { ExactQuery } from './exact-query.ts';

/** The number of rows that are read at once. */
const SLICE = 10_000;

/** The rows of a table whose folded texts are wrong, in batches. */
function* allWrongFolds(connection: Sqlite, table: AnyTable): Generator<WrongFold[]> {
  const { texts, folded } = foldColumnsOf(table);
  const query = new ExactQuery<Row>(
    connection,
    `SELECT id, ${texts.join(', ')}, ${folded} FROM ${table.name} WHERE id > ? ORDER BY id LIMIT ?`,
    ['id'],
  );
  let afterId: Int64 = -(2n ** 63n);
  for (;;) {
    const rows = query.all(afterId, SLICE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield wrongFolds(table, rows);
    afterId = last['id'] as Int64;
  }
}

/** @param version of the schema. */
export function* foldFaults(connection: Sqlite, version: number): Generator<Fault> {
  for (const table of foldedTables(version)) {
    const wrong = [...allWrongFolds(connection, table)].flat();
    yield* foldFault(
      table,
      wrong.map(({ id }) => id),
    );
  }
}

/** Folds the wrong texts of a table again. For a transaction. */
export function foldAgain(connection: Sqlite, table: AnyTable): void {
  const { folded: column } = foldColumnsOf(table);
  const update = connection.prepare(`UPDATE ${table.name} SET ${column} = ? WHERE id = ?`);
  for (const batch of allWrongFolds(connection, table))
    for (const { id, folded } of batch) update.run(folded, id);
}
