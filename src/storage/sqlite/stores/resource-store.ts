import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite';
import { FairQueue } from '../../../fair-queue.ts';
import { foldText } from '../../../fold-text.ts';
import type { Asker, Filters, ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { storedColumnsOf } from '../../insertion.ts';
import {
  assignmentsOf,
  changedFieldsOf,
  insertedFieldsOf,
  type Row,
  resourceOf,
  selectListOf,
  valuesOf,
} from '../../rows.ts';
import { foldedSlice, type ReadSlice, searchSlices, sliceRowsOf } from '../../search.ts';
import type { AnyTable } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactInsert, type JsonRow } from '../statements/exact-insert.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { PageQueries } from '../statements/page-queries.ts';

/** All searches of a process take turns, one slice in each turn of the event loop. */
export const SEARCHES = new FairQueue(1, setImmediate);

/** Reads and changes the resources of a table with ids. `New` is a resource without what the engine assigns. */
export class SqliteResourceStore<
  Resource extends { readonly id: Int64; readonly name?: string },
  New extends object,
  ListFilters extends Filters,
> {
  readonly #pages: PageQueries<Row>;
  readonly #byId: ExactQuery<Row>;
  readonly #insert: ExactInsert;
  readonly #update: Statement<unknown, SQLQueryBindings[]>;
  readonly #delete: Statement<unknown, [Int64]>;
  readonly #toResource: (row: Row) => Resource;
  readonly #insertedOf: (resource: New) => JsonRow;
  readonly #changedOf: (resource: Resource) => SQLQueryBindings[];

  constructor(
    readonly connection: Sqlite,
    table: AnyTable,
  ) {
    const { name } = table;
    const select = `SELECT ${selectListOf(table)}`;
    const inserted = insertedFieldsOf(table);
    const changed = changedFieldsOf(table);
    this.#pages = new PageQueries(connection, table, select, int64FieldsOf(table));
    this.#byId = new ExactQuery(
      connection,
      `${select} FROM ${name} WHERE id = ?`,
      int64FieldsOf(table),
    );
    const added = storedColumnsOf(table, inserted);
    const replaced = storedColumnsOf(table, changed);
    this.#insert = new ExactInsert(connection, name, added.columns);
    const assignments = assignmentsOf(replaced.columns, () => '?');
    this.#update = connection.prepare(`UPDATE ${name} SET ${assignments} WHERE id = ?`);
    this.#delete = connection.prepare(`DELETE FROM ${name} WHERE id = ?`);
    this.#toResource = resourceOf<Resource>(table);
    const [insertedCells, changedCells] = [valuesOf(table, inserted), valuesOf(table, changed)];
    // No resource has bytes.
    this.#insertedOf = (resource) => added.complete(insertedCells(resource)) as JsonRow;
    this.#changedOf = (resource) => [...replaced.complete(changedCells(resource)), resource.id];
  }

  list(
    { filters, sort }: ListQuery<ListFilters>,
    afterId: Int64 | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Resource[]> {
    if (typeof filters['name'] !== 'string') return this.page({ filters, sort }, afterId, count);
    const { name, ...others } = filters;
    const list = { filters: others, sort };
    const readSlice = this.slicesFor(foldText(name), list);
    return searchSlices(SEARCHES, readSlice, afterId, count, asker, sliceRowsOf(list));
  }

  /** Finds the names that contain a folded term in a list. */
  protected slicesFor(term: string, query: ListQuery): ReadSlice<Resource> {
    return foldedSlice(term, (afterId, size) => this.page(query, afterId, size));
  }

  /** The first `count` items of a list that follow the id `afterId`. */
  protected page(query: ListQuery, afterId: Int64 | undefined, count: number): Resource[] {
    return this.#pages.read(query, afterId, count).map(this.#toResource);
  }

  get(id: Int64): Resource | undefined {
    const row = translateReadErrors(this.connection, () => this.#byId.get(id));
    return row === null ? undefined : this.#toResource(row);
  }

  create(resource: New): Resource {
    const id = this.#insert.run(this.#insertedOf(resource));
    return { id, ...resource } as unknown as Resource;
  }

  /** Adds resources in their order, in one statement. */
  createAll(resources: readonly New[]): Resource[] {
    const ids = this.#insert.runAll(resources.map(this.#insertedOf));
    return resources.map((resource, index) => ({
      id: ids[index],
      ...resource,
    })) as unknown[] as Resource[];
  }

  replace(resource: Resource): void {
    this.#update.run(...this.#changedOf(resource));
  }

  remove(id: Int64): void {
    this.#delete.run(id);
  }
}

/** The fields whose values are not exact as plain numbers. */
export const int64FieldsOf = ({ columns }: AnyTable): string[] =>
  Object.keys(columns).filter((field) => columns[field]?.type === 'int64');
