import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { Sort } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { firstIdOf, type Row, SQL_ORDERS, selectListOf } from '../../rows.ts';
import {
  type CountedSlice,
  NOTHING_COUNTED,
  type SearchedList,
  type Slice,
  type SliceRequest,
} from '../../search.ts';
import { STATUSES } from '../../status-queries.ts';
import { PETS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { readTogether } from '../transactions/snapshot.ts';
import { ExactQuery } from './exact-query.ts';

/** The statements of a slice. Parameters: 1 the first id, 2 the category, 3 the status, 4 the term, 5 the number of matches. */
interface Statements {
  readonly matches: ExactQuery<Row>;
  /** The id of the last row of a whole slice. Those of the first three parameters that select its rows. */
  readonly last: ExactQuery<{ id: Int64 }>;
  /** The number of matches. Parameters as of `matches`, without the last one. */
  readonly counts: ExactQuery<Counts>;
}

type Counts = CountedSlice['counts'];

/** Finds animals by their folded names, in slices of a list. */
export class NameSlices {
  /** By their SQL. */
  readonly #prepared = new Map<string, Statements>();

  constructor(
    readonly connection: Sqlite,
    readonly int64Fields: readonly string[],
  ) {}

  read(
    term: string,
    { filters: { categoryId, status }, sort }: SearchedList,
    { after, wanted, rows }: SliceRequest,
  ): Slice<Row> {
    const first = firstIdOf(after, sort);
    if (first === undefined) return { items: [], next: undefined };
    const values: SQLQueryBindings[] = [first];
    if (categoryId !== undefined) values.push(categoryId);
    if (categoryId !== undefined && status !== undefined) values.push(status);
    const { matches, last } = this.#prepare(rowsSql(sort, categoryId, status), sort, rows);
    return translateReadErrors(this.connection, () =>
      readTogether(this.connection, () => {
        const items = matches.all(first, categoryId ?? null, status ?? null, term, wanted);
        const isEnough = items.length === wanted;
        return { items, next: isEnough ? undefined : last.get(...values)?.id };
      }),
    );
  }

  /** Counts the matches of a slice by their status. */
  count(
    term: string,
    categoryId: Int64 | undefined,
    { after, rows }: Omit<SliceRequest, 'wanted'>,
  ): CountedSlice {
    const first = firstIdOf(after, 'id');
    if (first === undefined) return NOTHING_COUNTED;
    const { counts, last } = this.#prepare(rowsSql('id', categoryId, undefined), 'id', rows);
    const values: SQLQueryBindings[] = [first, ...(categoryId === undefined ? [] : [categoryId])];
    return translateReadErrors(this.connection, () =>
      readTogether(this.connection, () => ({
        counts: counts.get(first, categoryId ?? null, null, term) ?? NOTHING_COUNTED.counts,
        next: last.get(...values)?.id,
      })),
    );
  }

  /**
   * @param list selects the rows of the list from the first id on.
   * @param rows the number of rows of the slice.
   */
  #prepare(list: string, sort: Sort, rows: number): Statements {
    const { direction } = SQL_ORDERS[sort];
    const key = `${rows} ${direction} ${list}`;
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const { connection } = this;
    const order = `ORDER BY id ${direction}`;
    // The slice is no table: its rows are compared as they are read, until there are enough matches.
    const matches = `SELECT ${selectListOf(PETS)}
      FROM (${list} ${order} LIMIT ${rows}) AS slice CROSS JOIN pets USING (id)
      WHERE (?3 IS NULL OR row_status = ?3) AND instr(row_name, ?4) ${order} LIMIT ?5`;
    const last = `SELECT id FROM (${list}) ${order} LIMIT 1 OFFSET ${rows - 1}`;
    const counted = STATUSES.map(
      (status) =>
        `count(*) FILTER (WHERE coalesce(row_status, 'unset') = '${status}') AS ${status}`,
    );
    const counts = `SELECT ${counted.join(', ')} FROM (${list} ${order} LIMIT ${rows}) WHERE instr(row_name, ?4)`;
    const statements = {
      counts: new ExactQuery<Counts>(connection, counts, []),
      matches: new ExactQuery<Row>(connection, matches, this.int64Fields),
      last: new ExactQuery<{ id: Int64 }>(connection, last, ['id']),
    };
    this.#prepared.set(key, statements);
    return statements;
  }
}

/** Without a category, the rows of all statuses are read in the order of the table. With one, its index leads, which has a part for each status. */
function rowsSql(sort: Sort, categoryId: Int64 | undefined, status: string | undefined): string {
  const { isAfter } = SQL_ORDERS[sort];
  const rows = `SELECT id, status AS row_status, folded_name AS row_name FROM pets WHERE id ${isAfter}= ?1`;
  if (categoryId === undefined) return rows;
  const ofStatus = (condition: string) => `${rows} AND category_id = ?2 AND status ${condition}`;
  if (status !== undefined) return ofStatus('= ?3');
  const parts = STATUSES.map((one) => (one === 'unset' ? 'IS NULL' : `= '${one}'`));
  return parts.map(ofStatus).join(' UNION ALL ');
}
