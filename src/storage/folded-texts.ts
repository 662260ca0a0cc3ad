import { INT64_MIN, type Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import { type Steps, wait } from '../steps.ts';
import { foldTexts } from './insertion.ts';
import type { Fault } from './maintenance.ts';
import { columnOf, type Row } from './rows.ts';
import { type Sql, Statement } from './sql.ts';
import { type AnyTable, ORDERS, PETS } from './tables.ts';

/** The tables with folded texts in a schema of a version. */
export const foldedTables = (version: number): AnyTable[] =>
  version < 102 ? [PETS] : [PETS, ORDERS];

/** A row whose folded texts are wrong: another program has written it. */
interface WrongFold {
  readonly id: Int64;
  readonly texts: readonly (string | null)[];
  /** The right ones. */
  readonly folded: string;
}

/** The number of rows that are read at once. */
const SLICE = 10_000;

/** The columns of the texts of a table, and of their fold. */
function foldColumnsOf(table: AnyTable) {
  const { fields = [], column = '' } = table.search ?? {};
  return { texts: fields.map((field) => columnOf(table, field).column), folded: column };
}

/** Passes the rows of a table whose folded texts are wrong, in slices. */
function* eachWrongFold(
  sql: Sql,
  table: AnyTable,
  each: (wrong: readonly WrongFold[]) => MaybePromise<unknown>,
): Steps<void> {
  const { texts, folded } = foldColumnsOf(table);
  const select = new Statement<Row>(
    (spelling) => `SELECT id, ${texts.join(', ')}, ${folded} FROM ${spelling.table(table.name)}
      WHERE id > $1 ORDER BY id LIMIT ${SLICE}`,
    ['id'],
  );
  let afterId: Int64 = INT64_MIN;
  for (;;) {
    const rows = yield* wait(sql.read(select, afterId));
    const last = rows.at(-1);
    if (last === undefined) return;
    const wrong = rows.flatMap((row) => {
      const found = texts.map((column) => row[column] as string | null);
      const right = foldTexts(found);
      return right === row[folded] ? [] : [{ id: row['id'] as Int64, texts: found, folded: right }];
    });
    if (wrong.length > 0) yield* wait(each(wrong));
    afterId = last['id'] as Int64;
  }
}

/** @param version of the schema. */
export function* findWrongFolds(sql: Sql, version: number, faults: Fault[]): Steps<void> {
  for (const table of foldedTables(version)) {
    const ids: Int64[] = [];
    yield* eachWrongFold(sql, table, (wrong) => void ids.push(...wrong.map(({ id }) => id)));
    if (ids.length === 0) continue;
    const subject =
      ids.length === 1
        ? `the folded text of 1 row of ${table.name} is`
        : `the folded texts of ${ids.length} rows of ${table.name} are`;
    faults.push({ kind: 'texts', message: `${subject} wrong (the first id is ${ids[0]})` });
  }
}

/** Folds the wrong texts of a table again. A row that was changed in between has been folded by its change. */
export function* foldAgain(sql: Sql, table: AnyTable): Steps<void> {
  const { texts, folded } = foldColumnsOf(table);
  const types = { wrong_id: 'bigint', right_fold: 'text' } as const;
  const update = new Statement((spelling) => {
    const read = Object.fromEntries(texts.map((text) => [`read_${text}`, 'text'] as const));
    const { from, value } = spelling.each({ ...types, ...read });
    const isUnchanged = texts.map(
      (text) => `${text} IS NOT DISTINCT FROM ${value(`read_${text}`)}`,
    );
    return `UPDATE ${spelling.table(table.name)} SET ${folded} = ${value('right_fold')} ${from}
      WHERE ${[`id = ${value('wrong_id')}`, ...isUnchanged].join(' AND ')}`;
  });
  yield* eachWrongFold(sql, table, (wrong) =>
    sql.changeEach(
      update,
      wrong.map((row) => [row.id, row.folded, ...row.texts]),
    ),
  );
}
