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
import type { Run } from '../transactions/transactions.ts';
import { arrayOf } from './arrays.ts';

/** The number of rows that are read at once. */
const SLICE = 10_000;

/** The rows of a table whose folded texts are wrong, in batches. */
async function* allWrongFolds(run: Run, table: AnyTable): AsyncGenerator<WrongFold[]> {
  const { texts, folded } = foldColumnsOf(table);
  const select = `SELECT id, ${texts.join(', ')}, ${folded} FROM animal_store.${table.name}`;
  let afterId: Int64 = -(2n ** 63n);
  for (;;) {
    const rows = await run<Row>(`${select} WHERE id > $1 ORDER BY id LIMIT ${SLICE}`, [afterId]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield wrongFolds(table, rows);
    afterId = last['id'] as Int64;
  }
}

/** @param version of the schema. */
export async function foldFaults(run: Run, version: number): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const table of foldedTables(version)) {
    const wrong: Int64[] = [];
    for await (const batch of allWrongFolds(run, table)) wrong.push(...batch.map(({ id }) => id));
    faults.push(...foldFault(table, wrong));
  }
  return faults;
}

/** Folds the wrong texts of a table again. A row that was changed in between has been folded by its change. */
export async function foldAgain(run: Run, table: AnyTable): Promise<void> {
  const { texts, folded } = foldColumnsOf(table);
  const parameters = texts.map((_, index) => `$${index + 3}::text[]`);
  const update = `UPDATE animal_store.${table.name} AS stored SET ${folded} = wrong.right_fold
    FROM unnest($1::bigint[], $2::text[], ${parameters.join(', ')}) AS wrong (id, right_fold, ${texts.join(', ')})
    WHERE stored.id = wrong.id AND ${texts.map((text) => `stored.${text} IS NOT DISTINCT FROM wrong.${text}`).join(' AND ')}`;
  for await (const batch of allWrongFolds(run, table)) {
    if (batch.length === 0) continue;
    await run(update, [
      arrayOf(batch.map(({ id }) => id)),
      arrayOf(batch.map((row) => row.folded)),
      ...texts.map((_, index) => arrayOf(batch.map((row) => row.texts[index] ?? null))),
    ]);
  }
}
