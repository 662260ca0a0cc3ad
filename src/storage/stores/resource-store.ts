import { foldText } from '../../fold-text.ts';
import type { Asker, Filters, ListQuery } from '../../http/contract/list-query.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { storedColumnsOf } from '../insertion.ts';
import {
  assignmentsOf,
  type Cell,
  changedFieldsOf,
  insertedFieldsOf,
  int64FieldsOf,
  type Row,
  resourceOf,
  selectListOf,
  valuesOf,
} from '../rows.ts';
import { foldedSlice, type ReadSlice, searchSlices, sliceRowsOf } from '../search.ts';
import { type Insertion, type Lists, type Sql, Statement } from '../sql.ts';
import type { AnyTable } from '../tables.ts';

/** The statements of a table with ids, and the conversion of its rows. Made once: each transaction of PostgreSQL has new stores. */
export function resourceStatements<Resource extends { readonly id: Int64 }>(described: AnyTable) {
  const { name } = described;
  const inserted = insertedFieldsOf(described);
  const added = storedColumnsOf(described, inserted);
  const insertedCells = valuesOf(described, inserted);
  const changed = changedFieldsOf(described);
  const replaced = storedColumnsOf(described, changed);
  const changedCells = valuesOf(described, changed);
  const assignments = assignmentsOf(replaced.columns, (index) => `$${index + 1}`);
  return {
    table: described,
    byId: new Statement<Row>(
      ({ table, lock }) =>
        `SELECT ${selectListOf(described)} FROM ${table(name)} WHERE id = $1 ${lock('FOR UPDATE')}`,
      int64FieldsOf(described),
    ),
    insert: { table: name, columns: added.columns } satisfies Insertion,
    update: new Statement(
      ({ table }) =>
        `UPDATE ${table(name)} SET ${assignments} WHERE id = $${replaced.columns.length + 1}`,
    ),
    delete: new Statement(({ table }) => `DELETE FROM ${table(name)} WHERE id = $1`),
    toResource: resourceOf<Resource>(described),
    insertedOf: (resource: object): readonly Cell[] => added.complete(insertedCells(resource)),
    changedOf: (resource: Resource): readonly Cell[] => [
      ...replaced.complete(changedCells(resource)),
      resource.id,
    ],
  };
}

/** Reads and changes the resources of a table with ids. `New` is a resource without what the engine assigns. */
export class StoredResources<
  Resource extends { readonly id: Int64; readonly name?: string },
  New extends object,
  ListFilters extends Filters,
> {
  readonly lists: Lists;

  constructor(
    readonly statements: ReturnType<typeof resourceStatements<Resource>>,
    readonly sql: Sql,
  ) {
    this.lists = sql.lists(statements.table);
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
    return searchSlices(this.sql.searches, readSlice, afterId, count, asker, sliceRowsOf(list));
  }

  /** Finds the names that contain a folded term in a list. */
  protected slicesFor(term: string, query: ListQuery): ReadSlice<Resource> {
    return foldedSlice(term, (afterId, size) => this.page(query, afterId, size));
  }

  /** The first `count` items of a list that follow the id `afterId`. */
  protected page(
    query: ListQuery,
    afterId: Int64 | undefined,
    count: number,
  ): MaybePromise<Resource[]> {
    return chain(this.lists.page(query, afterId, count), (rows) =>
      rows.map(this.statements.toResource),
    );
  }

  get(id: Int64): MaybePromise<Resource | undefined> {
    const { byId, toResource } = this.statements;
    return chain(this.sql.find(byId, id), (row) => row && toResource(row));
  }

  create(resource: New): MaybePromise<Resource> {
    const { insert, insertedOf } = this.statements;
    return chain(
      this.sql.insert(insert, insertedOf(resource)),
      (id) => ({ id, ...resource }) as unknown as Resource,
    );
  }

  replace(resource: Resource): MaybePromise<void> {
    const { update, changedOf } = this.statements;
    return chain(this.sql.change(update, ...changedOf(resource)), () => {});
  }

  remove(id: Int64): MaybePromise<void> {
    return chain(this.sql.change(this.statements.delete, id), () => {});
  }
}
