import { chain, type MaybePromise } from '../../maybe-promise.ts';
import type { CatalogueSnapshot, CatalogueWriter } from '../../transfer/catalogue-copy.ts';
import { type Insertion, insertionOf } from '../insertion.ts';
import { type CellRow, columnOf, fieldsOf } from '../rows.ts';
import type { Batches, Sql } from '../sql.ts';
import { StoredEvents } from '../stores/event-store.ts';
import { getTable, HIGHEST_IDS, PARTS, TABLES } from '../tables.ts';

/** Reads a catalogue in one transaction. */
export class CatalogueParts implements CatalogueSnapshot {
  readonly parts = PARTS;

  constructor(
    readonly sql: Sql,
    readonly close: () => void,
  ) {}

  count(part: string): MaybePromise<number> {
    const counted = this.sql.cells(`SELECT count(*) FROM (${this.selectPart(part)}) AS part`);
    return chain(counted, ([row]) => Number(row?.[0]));
  }

  rows(part: string): Batches {
    return this.sql.stream(this.selectPart(part));
  }

  /** The rows of a part. The order is the same in both engines. */
  protected selectPart(part: string): string {
    const { copied, byCodePoint } = this.sql.spelling;
    if (part === HIGHEST_IDS) {
      const highest = TABLES.filter(({ assignsIds }) => assignsIds).map(
        ({ name }) => `SELECT '${name}' AS name, ${copied(name).highestId} AS seq`,
      );
      return `SELECT * FROM (${highest.join(' UNION ALL ')}) AS highest WHERE seq > 0 ORDER BY name ${byCodePoint}`;
    }
    const table = getTable(part);
    const order = table.key.map((field) => {
      const { column, type } = columnOf(table, field);
      return type === 'text' ? `${column} ${byCodePoint}` : column;
    });
    const columns = Object.values(table.columns).map((one) =>
      one.copied === undefined ? one.column : `${one.copied} AS ${one.column}`,
    );
    return `SELECT ${columns.join()} FROM ${copied(part).rows} ORDER BY ${order.join()}`;
  }
}

/** What an engine does to write a catalogue. */
interface Writing {
  add(into: Insertion, rows: readonly CellRow[]): MaybePromise<void>;
  /** Sets the highest ids that tables have assigned. @param rows of table name and id. */
  setHighestIds(rows: readonly CellRow[]): MaybePromise<void>;
  commit(): MaybePromise<void>;
}

/** Writes a catalogue in one transaction. */
export class WrittenParts extends CatalogueParts implements CatalogueWriter {
  constructor(
    sql: Sql,
    close: () => void,
    readonly writing: Writing,
  ) {
    super(sql, close);
  }

  add(part: string, rows: readonly CellRow[]): MaybePromise<void> {
    if (part === HIGHEST_IDS) return this.writing.setHighestIds(rows);
    const table = getTable(part);
    const into = insertionOf(table, fieldsOf(table));
    return this.writing.add(into, rows.map(into.complete));
  }

  commit(): MaybePromise<void> {
    return chain(new StoredEvents(this.sql).renew(), () => this.writing.commit());
  }
}
