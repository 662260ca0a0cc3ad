import type { Actor } from '../../events/cause.ts';
import type { EventContent } from '../../events/event-store.ts';
import type { EventType } from '../../events/event-types.ts';
import { foldText } from '../../fold-text.ts';
import type { Asker, Filters, ListQuery, Position } from '../../http/contract/list-query.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import { insertionOf } from '../insertion.ts';
import { Lists } from '../lists.ts';
import { previousOf } from '../recording.ts';
import {
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
import { type Sql, Statement } from '../sql.ts';
import type { AnyTable } from '../tables.ts';

/** The statements of a table with ids, and the conversion of its rows. Made once: each transaction of PostgreSQL has new stores. */
export function resourceStatements<Resource extends { readonly id: Int64 }>(
  described: AnyTable,
  kind: 'pet' | 'category' | 'order' | 'webhook_endpoint',
) {
  const { name } = described;
  const inserted = insertedFieldsOf(described);
  const insert = insertionOf(described, inserted);
  const insertedCells = valuesOf(described, inserted);
  const changed = changedFieldsOf(described);
  const replaced = insertionOf(described, changed);
  const changedCells = valuesOf(described, changed);
  const assignments = replaced.columns.map((column, index) => `${column} = $${index + 1}`);
  return {
    table: described,
    /** How the types of its events begin. */
    kind,
    lists: new Lists(described),
    byId: new Statement<Row>(
      ({ table, lock }) =>
        `SELECT ${selectListOf(described)} FROM ${table(name)} WHERE id = $1 ${lock('FOR UPDATE')}`,
      int64FieldsOf(described),
    ),
    insert,
    update: new Statement(
      ({ table }) =>
        `UPDATE ${table(name)} SET ${assignments.join(', ')} WHERE id = $${replaced.columns.length + 1}`,
    ),
    delete: new Statement(({ table }) => `DELETE FROM ${table(name)} WHERE id = $1`),
    toResource: resourceOf<Resource>(described),
    insertedOf: (resource: object): readonly Cell[] => insert.complete(insertedCells(resource)),
    changedOf: (resource: Resource): readonly Cell[] => [
      ...replaced.complete(changedCells(resource)),
      resource.id,
    ],
  };
}

/**
 * Reads and changes the resources of a table with ids, and records an event of each change in the present write: no handler, job or
 * command can change a resource without one. `New` is a resource without what the engine assigns.
 */
export class StoredResources<
  Resource extends { readonly id: Int64; readonly name?: string },
  New extends object,
  ListFilters extends Filters,
> {
  constructor(
    readonly statements: ReturnType<typeof resourceStatements<Resource>>,
    readonly sql: Sql,
  ) {}

  /** A search takes slices of the list. Its texts are folded here if the table has no column of them. */
  list(
    query: ListQuery<ListFilters>,
    after: Position | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Resource[]> {
    const filter = this.statements.table.search?.filter ?? '';
    const text = query.filters[filter];
    if (typeof text !== 'string') return this.page(query, after, count);
    const list: ListQuery = { ...query, filters: { ...query.filters, [filter]: undefined } };
    const readSlice = this.#slicesFor(foldText(text), list);
    return searchSlices(this.sql.searches, readSlice, after, count, asker, sliceRowsOf(list));
  }

  /** Finds the texts that contain a folded term in a list. */
  #slicesFor(term: string, query: ListQuery): ReadSlice<Resource, Position> {
    const { lists, table, toResource } = this.statements;
    if (table.search?.column === undefined)
      return foldedSlice(term, (after, size) => this.page(query, after, size));
    return (request) =>
      chain(lists.slice(this.sql, term, query, request), ({ items, next }) => ({
        items: items.map(toResource),
        next,
      }));
  }

  /** The first `count` items of a list that follow a position. */
  protected page(
    query: ListQuery,
    after: Position | undefined,
    count: number,
  ): MaybePromise<Resource[]> {
    const { lists, toResource } = this.statements;
    return chain(lists.page(this.sql, query, after, count), (rows) => rows.map(toResource));
  }

  get(id: Int64): MaybePromise<Resource | undefined> {
    const { byId, toResource } = this.statements;
    return chain(this.sql.find(byId, id), (row) => this.remember(id, row && toResource(row)));
  }

  create(resource: New): MaybePromise<Resource> {
    return chain(this.insert(resource), (created) => {
      this.recordCreated(created);
      return created;
    });
  }

  replace(resource: Resource): MaybePromise<void> {
    return chain(this.#last(resource.id), (before) =>
      chain(this.update(resource), () => {
        if (before) this.recordReplaced(before, resource);
      }),
    );
  }

  remove(id: Int64): MaybePromise<void> {
    return chain(this.#last(id), (before) =>
      chain(this.sql.change(this.statements.delete, id), () => {
        this.remember(id, undefined);
        if (before) this.record('deleted', id, { data: before });
      }),
    );
  }

  /** Adds a resource, and records nothing. */
  protected insert(resource: New): MaybePromise<Resource> {
    const { insert, insertedOf } = this.statements;
    return chain(this.sql.insert(insert, insertedOf(resource)), (id) => {
      const created = { id, ...resource } as unknown as Resource;
      this.remember(id, created);
      return created;
    });
  }

  /** Replaces a resource, and records nothing. */
  protected update(resource: Resource): MaybePromise<void> {
    const { update, changedOf } = this.statements;
    return chain(this.sql.change(update, ...changedOf(resource)), () => {
      this.remember(resource.id, resource);
    });
  }

  protected recordCreated(created: Resource): void {
    this.record('created', created.id, { data: created });
  }

  protected recordReplaced(before: Resource, after: Resource): void {
    const previous = previousOf(before, after);
    if (previous) this.record('updated', after.id, { data: after, previous });
  }

  /** Records an event of the present write. @param actor who made the change, if it was not the cause of the write. */
  protected record(change: string, id: Int64, content: EventContent, actor?: Actor): void {
    const { kind } = this.statements;
    this.sql.recording?.add(`${kind}.${change}` as EventType, id, content, actor);
  }

  protected remember<R extends Resource | undefined>(id: Int64, resource: R): R {
    this.sql.recording?.remember(this.statements.table.name, id, resource);
    return resource;
  }

  /** The resource as it was read or written last in the present write. Reads it if it was neither. */
  #last(id: Int64): MaybePromise<Resource | undefined> {
    const known = this.sql.recording?.known(this.statements.table.name, id);
    return known ? (known.resource as Resource | undefined) : this.get(id);
  }
}
