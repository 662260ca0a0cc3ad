import type { Database as Sqlite } from 'bun:sqlite';
import type { Cause } from '../../../events/cause.ts';
import type { CatalogueTransfer } from '../../../transfer/catalogue-transfer.ts';
import { Recording } from '../../recording.ts';
import type { CellRow } from '../../rows.ts';
import type { Sql, Statement } from '../../sql.ts';
import { exportPets } from '../../transfer/export-pets.ts';
import { STAGED, StagedImport, type Staging } from '../../transfer/staged-import.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { translateErrors } from '../failures.ts';
import { ExactInsert } from '../statements/exact-insert.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';
import { Writer, type WriterOptions } from '../transactions/writer.ts';
import { inBulk } from './bulk-insert.ts';
import { openSource, openWriter } from './copy.ts';

/** What an import checks when it commits. */
type Checks = Pick<WriterOptions, 'check' | 'confirm'>;

/** The threads that help SQLite to sort the entries of an index, if it is built anew. */
const SORTING_THREADS = 2;

/** Each transfer has its own connection, so that it shares no transaction with requests. */
export const sqliteTransfer = (path: string, checks: Checks): CatalogueTransfer => ({
  beginImport: (cause) =>
    translateErrors(() =>
      StagedImport.begin(new SqliteStaging(openForWriting(path), checks), cause),
    ),
  exportPets: () => exportPets(() => translateErrors(() => openSnapshot(path))),
  openSource: () => openSource(path),
  openWriter: () => openWriter(path),
});

function openSnapshot(path: string) {
  const connection = openForReading(path);
  connection.run('BEGIN'); // one snapshot for all batches
  // `true` finalizes the queries: otherwise the snapshot would stay open.
  return { sql: new SqliteSql(connection), close: () => connection.close(true) };
}

class SqliteStaging implements Staging {
  readonly sql: SqliteSql;
  readonly #insert: ExactInsert;

  constructor(
    readonly connection: Sqlite,
    readonly checks: Checks,
  ) {
    this.sql = new SqliteSql(connection);
    connection.run(`PRAGMA threads = ${SORTING_THREADS}`);
    connection.run(
      `CREATE TEMP TABLE staged (position INTEGER PRIMARY KEY, ${STAGED.definitions})`,
    );
    // Only of rows with an id: an entry for each row without one would take time.
    const hasId = 'id IS NOT NULL';
    connection.run(`CREATE UNIQUE INDEX temp.staged_by_id ON staged (id) WHERE ${hasId}`);
    const conflict = `ON CONFLICT (id) WHERE ${hasId} DO NOTHING`;
    this.#insert = new ExactInsert(connection, 'staged', STAGED.columns, conflict);
  }

  add(rows: readonly CellRow[]): number {
    return translateErrors(() => {
      // Now the highest id of the catalogue has been read: its snapshot must not stay open.
      if (!this.connection.inTransaction) this.connection.run('BEGIN');
      return this.#insert.insertAll(rows);
    });
  }

  async commit(
    cause: () => Cause,
    _keepsIds: boolean,
    work: (sql: Sql) => number,
  ): Promise<number> {
    if (this.connection.inTransaction) translateErrors(() => this.connection.run('COMMIT'));
    const writer = new Writer(this.connection, this.checks);
    return writer.write(() => this.sql.record(new Recording(cause()), () => work(this.sql)));
  }

  addAll(statement: Statement, staged: number): number {
    return inBulk(this.connection, staged, () => this.sql.change(statement));
  }

  close(): void {
    this.connection.close(true);
  }
}
