import type { SQLQueryBindings, Database as Sqlite } from 'bun:sqlite';
import type { CatalogueSource, CatalogueWriter } from '../../../transfer/catalogue-copy.ts';
import type { CellRow } from '../../rows.ts';
import { CatalogueParts, WrittenParts } from '../../transfer/catalogue-parts.ts';
import { openForReading, openForWriting } from '../connections/connection.ts';
import { inUse } from '../connections/lock-unused.ts';
import { isBusy, toStorageError, translateErrors } from '../failures.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';

/** Opens the whole file to copy it. Until it is closed, no other connection can open the file. */
export function openSource(path: string): CatalogueSource {
  const connection = translateErrors(() => openForReading(path));
  try {
    // The first read then locks the file exclusively, or fails.
    connection.run('PRAGMA locking_mode = EXCLUSIVE');
    beginSnapshot(connection, 'BEGIN');
    return new SqliteSource(new SqliteSql(connection), () => connection.close(true));
  } catch (error) {
    connection.close(true);
    throw isBusy(error) ? inUse(path) : toStorageError(error);
  }
}

function beginSnapshot(connection: Sqlite, begin: string): void {
  connection.run(begin);
  // The first read creates the snapshot, not BEGIN.
  connection.query('SELECT 1 FROM pets LIMIT 1').get();
}

class SqliteSource extends CatalogueParts implements CatalogueSource {
  /** The lock has kept all others out. */
  requireUnused(): void {}
}

/** Opens the whole file for writing. Until it is closed, other connections can read, but not write. */
export const openWriter = (path: string): CatalogueWriter =>
  translateErrors(() => {
    const connection = openForWriting(path);
    beginSnapshot(connection, 'BEGIN IMMEDIATE');
    const add = (table: string, columns: readonly string[], rows: readonly CellRow[]) => {
      const values = columns.map(() => '?').join();
      const insert = connection.query(
        `INSERT INTO ${table} (${columns.join()}) VALUES (${values})`,
      );
      translateErrors(() => {
        for (const row of rows) insert.run(...(row as SQLQueryBindings[]));
      });
    };
    return new WrittenParts(new SqliteSql(connection), () => connection.close(true), {
      add: ({ table, columns }, rows) => add(table.name, columns, rows),
      setHighestIds(rows) {
        // The inserts have set these to the highest id of each table: the copied ones replace them.
        translateErrors(() => connection.run('DELETE FROM sqlite_sequence'));
        add('sqlite_sequence', ['name', 'seq'], rows);
      },
      commit: () => translateErrors(() => void connection.run('COMMIT')),
    });
  });
