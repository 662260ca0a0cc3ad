import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type {
  CatalogueReplica,
  CatalogueSnapshot,
  Cell,
  CellRow,
} from '../../../transfer/catalogue-copy.ts';
import { HIGHEST_IDS, PARTS, tableNamed } from '../../tables.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { toStorageError, translating } from '../failures.ts';
import { fromEngine } from '../statements/exact-query.ts';

const BATCH = 1_000;

/** Everything in the file, as it is at this moment. */
export function openSnapshot(path: string): CatalogueSnapshot {
  return translating(() => new SqliteSnapshot(openForReading(path), 'BEGIN'));
}

/** Everything in the file, to be written: others can read meanwhile, but not write. */
export function openReplica(path: string): CatalogueReplica {
  return translating(() => new SqliteReplica(openForWriting(path), 'BEGIN IMMEDIATE'));
}

class SqliteSnapshot implements CatalogueSnapshot {
  readonly parts = PARTS;

  constructor(
    readonly connection: Sqlite,
    begin: string,
  ) {
    connection.run(begin);
    // The snapshot is of the first look, not of BEGIN.
    connection.query('SELECT 1 FROM pets LIMIT 1').get();
  }

  count(part: string): number {
    const row = translating(() =>
      this.connection
        .query<{ count: number }, []>(`SELECT count(*) AS count FROM (${selectOf(part)})`)
        .get(),
    );
    return row?.count ?? 0;
  }

  async *rows(part: string): AsyncGenerator<CellRow[]> {
    const statement = translating(() => this.connection.prepare(selectOf(part))).safeIntegers(true);
    let batch: CellRow[] = [];
    try {
      for (const row of statement.iterate()) {
        batch.push(Object.values(row as Record<string, unknown>).map(toCell));
        if (batch.length < BATCH) continue;
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

class SqliteReplica extends SqliteSnapshot implements CatalogueReplica {
  add(part: string, rows: readonly CellRow[]): void {
    const columns = part === HIGHEST_IDS ? ['name', 'seq'] : Object.keys(tableNamed(part).columns);
    const insert = this.connection.query(
      `INSERT INTO ${part === HIGHEST_IDS ? 'sqlite_sequence' : part} (${columns.join()})
      VALUES (${columns.map(() => '?').join()})`,
    );
    translating(() => {
      // Filling a table has set its highest id to that of the last row: what it was in truth is told here.
      if (part === HIGHEST_IDS) this.connection.run('DELETE FROM sqlite_sequence');
      for (const row of rows) insert.run(...(row as SQLQueryBindings[]));
    });
  }

  commit(): void {
    translating(() => this.connection.run('COMMIT'));
  }
}

function selectOf(part: string): string {
  if (part === HIGHEST_IDS)
    return 'SELECT name, seq FROM sqlite_sequence WHERE seq > 0 ORDER BY name';
  const { name, columns, key } = tableNamed(part);
  return `SELECT ${Object.keys(columns).join()} FROM ${name} ORDER BY ${key.join()}`;
}

const toCell = (value: unknown): Cell =>
  typeof value === 'bigint' ? fromEngine(value) : (value as Cell);
