import type { Inventory } from '../categories/inventory.ts';
import type { ListQuery, Position } from '../http/contract/list-query.ts';
import type { Int64 } from '../int64.ts';
import { chain, type MaybePromise } from '../maybe-promise.ts';
import { STATUSES } from './category-counts.ts';
import { distinct, type ListPlan, planOf, type Source } from './list-plan.ts';
import { type Selection, writeList } from './list-sql.ts';
import { type Cell, int64FieldsOf, type Row, SQL_ORDERS, selectListOf } from './rows.ts';
import type { CountedSlice, Slice, SliceRequest } from './search.ts';
import { type Spelling, type Sql, Statement } from './sql.ts';
import type { AnyTable } from './tables.ts';

/** The highest number of rows that the API reads for a page: the maximum `limit` and one more. */
const MAX_PAGE_ROWS = 101;

/** What is read of a list. */
type Kind = 'page' | 'slice' | 'count';

/** A statement, and what finds the values of its parameters. */
interface Prepared {
  readonly statement: Statement<Row>;
  readonly sources: readonly Source[];
}

/** Reads the lists of a table. Lists that differ only in values share a statement, which is written once. */
export class Lists {
  readonly #filters: readonly string[];
  /** By the shape of the list. */
  readonly #prepared = new Map<string, Prepared>();

  /** @param select what the rows of pages have, by default the columns of the table. */
  constructor(
    readonly table: AnyTable,
    readonly select?: (spelling: Spelling) => Selection,
  ) {
    this.#filters = Object.keys(table.filters);
  }

  /** Reads the first `count` rows that follow a position. */
  page(
    sql: Sql,
    query: ListQuery,
    after: Position | undefined,
    count: number,
  ): MaybePromise<readonly Row[]> {
    const { statement, sources } = this.#find('page', query, after, Math.max(count, MAX_PAGE_ROWS));
    const values = valuesOf(sources, sql, query, after);
    values.push(count);
    return sql.read(statement, ...values);
  }

  /** The statement of such a page by id, and the values of its parameters. The id is the first one. */
  pageAfter(sql: Sql, query: ListQuery, after: Int64, count: number) {
    const { statement, sources } = this.#find('page', query, after, Math.max(count, MAX_PAGE_ROWS));
    return { statement, values: [...valuesOf(sources, sql, query, after), count] };
  }

  /**
   * Finds the rows whose folded texts contain a folded term, in a slice of a list, as of one moment. If a whole slice has too
   * few, its last row has only the position of its end.
   */
  slice(
    sql: Sql,
    term: string,
    query: ListQuery,
    { after, wanted, rows }: SliceRequest<Position>,
  ): MaybePromise<Slice<Row, Position>> {
    const { statement, sources } = this.#find('slice', query, after, rows);
    const values = valuesOf(sources, sql, query, after);
    return chain(sql.read(statement, ...values, term, wanted), (found) => {
      const last = found.at(-1);
      if (last === undefined || last[this.#always] !== null)
        return { items: found, next: undefined };
      const id = last['id'] as Int64;
      const next = query.by === undefined ? id : { id, time: Number(last[query.by]) };
      return { items: found.slice(0, -1), next };
    });
  }

  /** Counts such rows by their status. */
  count(
    sql: Sql,
    term: string,
    query: ListQuery,
    { after, rows }: Omit<SliceRequest, 'wanted'>,
  ): MaybePromise<CountedSlice> {
    const { statement, sources } = this.#find('count', query, after, rows);
    const values = valuesOf(sources, sql, query, after);
    return chain(sql.find(statement, ...values, term), (found) => {
      if (found === undefined) throw new Error('A count returned no row.');
      const { id, ...counts } = found as unknown as CountRow;
      return { counts, next: id === 0 ? undefined : id };
    });
  }

  #find(kind: Kind, query: ListQuery, after: Position | undefined, rows: number): Prepared {
    const shape = this.#shapeOf(kind, query, after, rows);
    let prepared = this.#prepared.get(shape);
    if (prepared === undefined) {
      prepared = this.#prepare(kind, query, after, rows);
      this.#prepared.set(shape, prepared);
    }
    return prepared;
  }

  #prepare(kind: Kind, query: ListQuery, after: Position | undefined, rows: number): Prepared {
    const plan = planOf(this.table, query, after, kind !== 'page');
    const write = (spelling: Spelling): string => {
      if (kind === 'page') return this.#writePage(spelling, plan, query, rows);
      if (kind === 'slice') return this.#writeSlice(spelling, plan, query, rows);
      return this.#writeCount(spelling, plan, query, rows);
    };
    const int64s = kind === 'count' ? ['id'] : int64FieldsOf(this.table);
    return { sources: plan.sources, statement: new Statement<Row>(write, int64s) };
  }

  /** Lists of the same shape differ only in the values of parameters. */
  #shapeOf(
    kind: Kind,
    { filters, sort, by }: ListQuery,
    after: Position | undefined,
    rows: number,
  ): string {
    let shape = rows === MAX_PAGE_ROWS && kind === 'page' ? sort : `${kind} ${rows} ${sort}`;
    if (by !== undefined) shape += ` ${by}`;
    if (after !== undefined) shape += typeof after === 'object' ? ' after time' : ' after';
    for (const name of this.#filters) {
      const value = filters[name];
      if (value === undefined) continue;
      shape += ` ${name}`;
      if (typeof value === 'object')
        shape += this.table.key.includes(name) ? 's' : distinct(value).length;
    }
    return shape;
  }

  /** The field of a text that no row lacks. */
  get #always(): string {
    const { columns } = this.table;
    const field = Object.keys(columns).find(
      (name) => columns[name]?.type === 'text' && !columns[name].isNullable,
    );
    if (field === undefined) throw new Error(`Each text of ${this.table.name} can be missing.`);
    return field;
  }

  #selection(spelling: Spelling, { only }: ListPlan): Selection {
    const { name } = this.table;
    // Without its name, SQLite prefers the index of the status, and sorts.
    const from = only ? spelling.tableBy(name, only.index) : spelling.table(name);
    return this.select?.(spelling) ?? { columns: selectListOf(this.table), from };
  }

  #writePage(spelling: Spelling, plan: ListPlan, query: ListQuery, most: number): string {
    const { order, leadingField, sources } = plan;
    return writeList(spelling, plan, query, {
      ...this.#selection(spelling, plan),
      id: 'id',
      time: `"${order?.field}"`,
      leading: leadingField && `"${leadingField}"`,
      limit: spelling.lists.hide(`$${sources.length + 1}`),
      most,
    });
  }

  /** The rows of a slice, from which a search takes `columns`. */
  #slice(
    spelling: Spelling,
    plan: ListPlan,
    query: ListQuery,
    columns: string,
    rows: number,
    limit = `${rows}`,
  ): string {
    return writeList(spelling, plan, query, {
      columns: `id AS row_id, ${plan.order?.column ?? 'NULL'} AS row_time${columns}`,
      from: this.#selection(spelling, plan).from,
      id: 'row_id',
      time: 'row_time',
      limit,
      most: rows,
    });
  }

  #isMatch({ lists }: Spelling, { ofMatches, sources }: ListPlan): string {
    const isFound = lists.contains(this.table.search?.column ?? '', `$${sources.length + 1}`);
    if (ofMatches === undefined) return isFound;
    return `${isFound} AND ${ofMatches.column} = ${lists.hide(ofMatches.parameter)}`;
  }

  #writeSlice(spelling: Spelling, plan: ListPlan, query: ListQuery, rows: number): string {
    const { direction } = SQL_ORDERS[query.sort];
    const wanted = spelling.lists.hide(`$${plan.sources.length + 2}`);
    const list = this.#slice(
      spelling,
      plan,
      query,
      `, ${this.#isMatch(spelling, plan)} AS is_match`,
      rows,
    );
    const end = this.#slice(spelling, plan, query, '', rows, `1 OFFSET ${rows - 1}`);
    const position = Object.entries(this.table.columns).map(([field, { column, type }]) => {
      if (field === 'id' || field === query.by) return column;
      // Not NULL, which would not be a safe integer.
      return type === 'int64' ? '0' : 'NULL';
    });
    const byTime = plan.order ? `${plan.order.column} ${direction}, ` : '';
    const table = spelling.table(this.table.name);
    return `WITH ${spelling.lists.slice(list, end, rows, wanted)}
    SELECT * FROM (
      SELECT ${selectListOf(this.table)} FROM ${table}
      WHERE ${spelling.amongFound('id', 'SELECT row_id FROM matches')} ORDER BY ${byTime}id ${direction}
    ) AS found
    UNION ALL SELECT ${position.join(', ')} FROM ${table}
      WHERE ${spelling.amongFound('id', 'SELECT row_id FROM slice_end')} AND (SELECT count(*) FROM matches) < ${wanted}`;
  }

  #writeCount(spelling: Spelling, plan: ListPlan, query: ListQuery, rows: number): string {
    const status = `CASE WHEN ${this.#isMatch(spelling, plan)} THEN coalesce(status, 'unset') END`;
    const list = this.#slice(spelling, plan, query, `, ${status} AS row_status`, rows);
    const counted = STATUSES.map(
      (one) => `count(*) FILTER (WHERE row_status = '${one}') AS ${one}`,
    );
    return `SELECT ${counted.join(', ')}, CASE count(*) WHEN ${rows} THEN max(row_id) ELSE 0 END AS id
      FROM (${list}) AS slice`;
  }
}

/** With the id of the last row of a whole slice, otherwise 0. */
type CountRow = Inventory & { readonly id: Int64 };

function valuesOf(
  sources: readonly Source[],
  sql: Sql,
  query: ListQuery,
  after: Position | undefined,
): Cell[] {
  const values: Cell[] = [];
  for (const source of sources) values.push(source(sql, query, after));
  return values;
}
