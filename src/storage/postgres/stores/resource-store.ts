import type { Filters, ListQuery } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import {
  assignmentsOf,
  changedFieldsOf,
  insertedFieldsOf,
  type Row,
  resourceOf,
  selectListOf,
  valuesOf,
} from '../../rows.ts';
import { type ReadSlice, searchByName, slicesOf } from '../../search.ts';
import type { AnyTable } from '../../tables.ts';
import { insertionOf } from '../statements/insertion.ts';
import { readPages } from '../statements/page-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';

/** The statements of a table with ids, and the conversion of its rows. Made once because each transaction has new stores. */
export function resourceStatements<Resource>(table: AnyTable) {
  const name = `animal_store.${table.name}`;
  const inserted = insertedFieldsOf(table);
  const { columns, complete } = insertionOf(table, inserted);
  const insertedValuesOf = valuesOf(table, inserted);
  const changed = changedFieldsOf(table);
  const assignments = assignmentsOf(table, (index) => `$${index + 1}`);
  return {
    table,
    select: `SELECT ${selectListOf(table)} FROM ${name}`,
    insert: `INSERT INTO ${name} (${columns.join(', ')})
      VALUES (${columns.map((_column, index) => `$${index + 1}`).join(', ')}) RETURNING id`,
    update: `UPDATE ${name} SET ${assignments} WHERE id = $${changed.length + 1}`,
    delete: `DELETE FROM ${name} WHERE id = $1`,
    toResource: resourceOf<Resource>(table),
    insertedOf: (resource: object) => complete(insertedValuesOf(resource)),
    changedOf: valuesOf(table, [...changed, 'id']),
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
  ): Promise<Resource[]> {
    if (typeof filters['name'] !== 'string') return this.page({ filters, sort }, afterId, count);
    const { name, ...others } = filters;
    const slices = this.slicesFor(name, { filters: others, sort });
    return searchByName(name, slices, afterId, count);
  }

  /** The slices of a list that contain all its items with a name that contains `text`, and may contain others. */
  protected slicesFor(_text: string, query: ListQuery): ReadSlice<Resource> {
    return slicesOf((afterId, size) => this.page(query, afterId, size));
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
