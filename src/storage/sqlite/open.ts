import type { Database as Sqlite } from 'bun:sqlite';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, StorageError, type Stores } from '../database.ts';
import { SqliteApiKeyStore } from './api-key-store.ts';
import { SqliteCategoryStore } from './category-store.ts';
import { engineVersion, isSafeRelease, openForReading, openForWriting } from './connection.ts';
import { translating } from './failures.ts';
import { SqliteKeptAnswerStore } from './kept-answer-store.ts';
import { migrate, requireUsable } from './migrate.ts';
import { SqliteOrderStore } from './order-store.ts';
import { SqlitePetStore } from './pet-store.ts';
import { Snapshot } from './snapshot.ts';
import { SqliteTransfer } from './transfer.ts';
import { SqliteUsageStore } from './usage-store.ts';
import { openWalIndex } from './wal-index.ts';
import { Writer } from './writer.ts';

/**
 * Opens the catalogue in a file, making the file and its folder where there are none.
 * @throws StorageError when the file cannot be opened, is of another program, or is newer than this one.
 */
export function openSqlite(path: string): Database {
  makeFolder(path);
  const { writing, reading } = translating(() => openConnections(path));
  const writer = new Writer(writing);
  const walIndex = openWalIndex(realpathSync(path));
  const latest = walIndex?.version ?? versionByPragma(reading);
  const snapshot = new Snapshot(reading, latest);
  const stores = storesOn(writing);
  return {
    read: storesOn(reading),
    write: (work) => writer.write(() => work(stores)),
    transfer: new SqliteTransfer(path),

    together: (work) => snapshot.during(work),
    version: () => snapshot.version ?? latest(),

    ping() {
      translating(() => reading.query('SELECT 1 FROM pets LIMIT 1').get());
    },

    async close() {
      await writer.drain();
      // The last connection to close moves the WAL into the file and removes it. `true` finalizes
      // the prepared statements, without which a connection stays open behind the scenes.
      reading.close(true);
      writing.close(true);
      walIndex?.close();
    },
  };
}

function versionByPragma(connection: Sqlite): () => number {
  const query = connection.prepare('PRAGMA data_version');
  return () => translating(() => query.values()[0]?.[0] as number);
}

const storesOn = (connection: Sqlite): Stores => ({
  pets: new SqlitePetStore(connection),
  categories: new SqliteCategoryStore(connection),
  orders: new SqliteOrderStore(connection),
  keptAnswers: new SqliteKeptAnswerStore(connection),
  apiKeys: new SqliteApiKeyStore(connection),
  usage: new SqliteUsageStore(connection),
});

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw new StorageError('refused', `The folder of ${path} cannot be made.`, { cause: error });
  }
}

function openConnections(path: string) {
  const writing = openForWriting(path, (connection) => requireUsable(connection, path));
  try {
    const version = engineVersion(writing);
    if (!isSafeRelease(version)) {
      throw new StorageError(
        'refused',
        `SQLite ${version} has a bug that can lose data: use a newer runtime.`,
      );
    }
    migrate(writing, path);
    // From here on waiting for the write lock is the Writer's, which does not stop the event loop.
    writing.run('PRAGMA busy_timeout = 0');
    return { writing, reading: openForReading(path) };
  } catch (error) {
    writing.close(true);
    throw error;
  }
}
