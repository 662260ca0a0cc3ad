import { FairQueue } from '../../../fair-queue.ts';
import { foldText } from '../../../fold-text.ts';
import type { Asker, Filters, ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
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
import { insertionOf } from '../statements/insertion.ts';
import { readPages } from '../statements/page-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';

/** Searches of a process use at most two connections at once, and take turns by key: others always get one. */
export const SEARCHES = new FairQueue(2);

/** The statements of a table with ids, and the conversion of its rows. Made once because each transaction has new stores. */
export function resourceStatements<Resource extends object>(table: AnyTable) {
  const name = `animal_store.${table.name}`;
  const inserted = insertedFieldsOf(table);
  const { columns, complete } = insertionOf(table, inserted);
  const insertedValuesOf = valuesOf(table, inserted);
  const changed = changedFieldsOf(table);
  const replaced = storedColumnsOf(table, changed);
  const changedValuesOf = valuesOf(table, changed);
  const assignments = assignmentsOf(replaced.columns, (index) => `$${index + 1}`);
  return {
    table,
    select: `SELECT ${selectListOf(table)} FROM ${name}`,
    insert: `INSERT INTO ${name} (${columns.join(', ')})
      VALUES (${columns.map((_column, index) => `$${index + 1}`).join(', ')}) RETURNING id`,
    update: `UPDATE ${name} SET ${assignments} WHERE id = $${replaced.columns.length + 1}`,
    delete: `DELETE FROM ${name} WHERE id = $1`,
    toResource: resourceOf<Resource>(table),
    insertedOf: (resource: object) => complete(insertedValuesOf(resource)),
    changedOf: (resource: Resource & { readonly id: Int64 }) => [
      ...replaced.complete(changedValuesOf(resource)),
      resource.id,
    ],
  };
}

/** Reads and changes the resources of a table with ids. `New` is a resource without what the server assigns. */
export class PostgresResourceStore<
  Resource extends { readonly id: Int64; readonly name?: string },
  New extends object,
  ListFilters extends Filters,
> {
  constructor(
    readonly statements: ReturnType<typeof resourceStatements<Resource>>,
    readonly run: Run,
    readonly lock: RowLock,
  ) {}

  async list(
    { filters, sort }: ListQuery<ListFilters>,
    afterId: Int64 | undefined,
    count: number,
    asker?: Asker,
  ): Promise<Resource[]> {
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
  protected async page(
    query: ListQuery,
    afterId: Int64 | undefined,
    count: number,
  ): Promise<Resource[]> {
    return (await this.listPages(query, [afterId], count)).flat();
  }

  /** Reads several pages of one list. Each starts after one of the ids in `starts`. */
  protected async listPages(
    query: ListQuery,
    starts: readonly (Int64 | undefined)[],
    count: number,
  ): Promise<Resource[][]> {
    const { table, select, toResource } = this.statements;
    const pages = await readPages(this.run, table, select, query, starts, count);
    return pages.map((page) => page.map(toResource));
  }

  async get(id: Int64): Promise<Resource | undefined> {
    const { select, toResource } = this.statements;
    const [row] = await this.run<Row>(`${select} WHERE id = $1 ${this.lock}`, [id]);
    return row && toResource(row);
  }

  async create(resource: New): Promise<Resource> {
    const { insert, insertedOf } = this.statements;
    const [row] = await this.run<{ id: Int64 }>(insert, insertedOf(resource));
    if (row === undefined) throw new Error('The insert returned no id.');
    return { id: row.id, ...resource } as unknown as Resource;
  }

  async replace(resource: Resource): Promise<void> {
    await this.run(this.statements.update, this.statements.changedOf(resource));
  }

  async remove(id: Int64): Promise<void> {
    await this.run(this.statements.delete, [id]);
  }
}
