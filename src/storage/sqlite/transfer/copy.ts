import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type {
  CatalogueSnapshot,
  CatalogueSource,
  CatalogueWriter,
  Cell,
  CellRow,
} from '../../../transfer/catalogue-copy.ts';
import { insertionOf } from '../../insertion.ts';
import { columnsOf, fieldsOf } from '../../rows.ts';
import { StoredEvents } from '../../stores/event-store.ts';
import { getTable, HIGHEST_IDS, PARTS } from '../../tables.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { inUse } from '../connections/lock-unused.ts';
import { isBusy, toStorageError, translateErrors } from '../failures.ts';
import { toInt64 } from '../statements/exact-query.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';

const BATCH_SIZE = 1_000;

/** Opens the whole file to copy it. Until it is closed, no other connection can open the file. */
export function openSource(path: string): CatalogueSource {
  const connection = translateErrors(() => openForReading(path));
  try {
    // The first read then locks the file exclusively, or fails.
    connection.run('PRAGMA locking_mode = EXCLUSIVE');
    return new SqliteSource(connection, 'BEGIN');
  } catch (error) {
    connection.close(true);
    throw isBusy(error) ? inUse(path) : toStorageError(error);
  }
}

/** Opens the whole file for writing. Until it is closed, other connections can read, but not write. */
export function openWriter(path: string): CatalogueWriter {
  return translateErrors(() => new SqliteCatalogueWriter(openForWriting(path), 'BEGIN IMMEDIATE'));
}

class SqliteSnapshot implements CatalogueSnapshot {
  readonly parts = PARTS;

  constructor(
    readonly connection: Sqlite,
    begin: string,
  ) {
    connection.run(begin);
    // The first read creates the snapshot, not BEGIN.
    connection.query('SELECT 1 FROM pets LIMIT 1').get();
  }

  count(part: string): number {
    const row = translateErrors(() =>
      this.connection
        .query<{ count: number }, []>(`SELECT count(*) AS count FROM (${selectOf(part)})`)
        .get(),
    );
    return row?.count ?? 0;
  }

  async *rows(part: string): AsyncGenerator<CellRow[]> {
    const statement = translateErrors(() => this.connection.prepare(selectOf(part))).safeIntegers(
      true,
    );
    let batch: CellRow[] = [];
    try {
      for (const row of statement.iterate()) {
        batch.push(Object.values(row as Record<string, unknown>).map(toCell));
        if (batch.length < BATCH_SIZE) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    } catch (error) {
      throw toStorageError(error);
    } finally {
      statement.finalize();
    }
  }

  close(): void {
    this.connection.close(true);
  }
}

class SqliteSource extends SqliteSnapshot implements CatalogueSource {
  /** The lock has kept all others out. */
  requireUnused(): void {}
}

class SqliteCatalogueWriter extends SqliteSnapshot implements CatalogueWriter {
  add(part: string, rows: readonly CellRow[]): void {
    const { columns, complete } =
      part === HIGHEST_IDS ? SEQUENCE : insertionOf(getTable(part), fieldsOf(getTable(part)));
    const insert = this.connection.query(
      `INSERT INTO ${part === HIGHEST_IDS ? 'sqlite_sequence' : part} (${columns.join()})
      VALUES (${columns.map(() => '?').join()})`,
    );
    translateErrors(() => {
      // The inserts have set these to the highest id of each table: the copied ones replace them.
      if (part === HIGHEST_IDS) this.connection.run('DELETE FROM sqlite_sequence');
      for (const row of rows) insert.run(...(complete(row) as SQLQueryBindings[]));
    });
  }

  commit(): void {
    translateErrors(() => {
      new StoredEvents(new SqliteSql(this.connection)).renew();
      this.connection.run('COMMIT');
    });
  }
}

/** The columns of `sqlite_sequence`. */
const SEQUENCE = { columns: ['name', 'seq'], complete: (row: CellRow): CellRow => row };

function selectOf(part: string): string {
  if (part === HIGHEST_IDS)
    return 'SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name';
  const table = getTable(part);
  const order = columnsOf(table, table.key);
  return `SELECT ${columnsOf(table).join()} FROM ${part} ORDER BY ${order.join()}`;
}

const toCell = (value: unknown): Cell =>
  typeof value === 'bigint' ? toInt64(value) : (value as Cell);
