import type { Database as Sqlite } from 'bun:sqlite';
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, StorageError, type Stores } from '../database.ts';
import { SqliteApiKeyStore } from './api-key-store.ts';
import { SqliteCategoryStore } from './category-store.ts';
import {
  engineVersion,
  isSafeRelease,
  openForWriting,
  RUNNING_TIMEOUT_MS,
  waitAtMost,
} from './connection.ts';
import { readingOn, translating, watchForDamage } from './failures.ts';
import { SqliteKeptAnswerStore } from './kept-answer-store.ts';
import { migrate, requireUsable } from './migrate.ts';
import { SqliteOrderStore } from './order-store.ts';
import { SqlitePetStore } from './pet-store.ts';
import { openProbe } from './probe.ts';
import { Snapshot } from './snapshot.ts';
import { SqliteTransfer } from './transfer.ts';
import { SqliteUsageStore } from './usage-store.ts';
import { watchVersion } from './version-watch.ts';
import { Writer } from './writer.ts';

interface SqliteOptions {
  /** Called once, when the file is found to be damaged. From then on nothing is read or written any more. */
  readonly onDamage?: (damage: StorageError) => void;
}

/**
 * Opens the catalogue in a file, making the file and its folder where there are none.
 * @throws StorageError when the file cannot be opened, is of another program, or is newer than this one.
 */
export function openSqlite(path: string, { onDamage = () => {} }: SqliteOptions = {}): Database {
  makeFolder(path);
  const connection = translating(() => openConnection(path));
  let damage: StorageError | undefined;
  watchForDamage(connection, (found) => {
    damage = found;
    onDamage(found);
  });
  const writer = new Writer(connection);
  const realPath = realpathSync(path);
  const watch = watchVersion(realPath);
  const probe = translating(() => openProbe(realPath));
  const snapshot = new Snapshot(connection, watch.version);
  const stores = storesOn(connection);
  const write: Database['write'] = (work) =>
    damage ? Promise.reject(damage) : writer.write(() => work(stores));
  return {
    read: stores,
    blind: { pets: { create: (pet) => write(({ pets }) => pets.create(pet)) } },
    write,
    transfer: new SqliteTransfer(path),

    together: (work) => snapshot.during(work),

    version() {
      if (damage) throw damage;
      return snapshot.version ?? watch.version();
    },

    ping() {
      if (damage) throw damage;
      readingOn(connection, probe.look);
    },

    async close() {
      await writer.drain();
      probe.close();
      // The last connection to close moves the WAL into the file and removes it. `true` finalizes
      // the prepared statements, without which a connection stays open behind the scenes.
      connection.close(true);
      watch.close();
    },
  };
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

function openConnection(path: string): Sqlite {
  const connection = openForWriting(path, (opened) => requireUsable(opened, path));
  try {
    const version = engineVersion(connection);
    if (!isSafeRelease(version)) {
      throw new StorageError(
        'refused',
        `SQLite ${version} has a bug that can lose data: use a newer runtime.`,
      );
    }
    migrate(connection, path);
    waitAtMost(connection, RUNNING_TIMEOUT_MS);
    return connection;
  } catch (error) {
    connection.close(true);
    throw error;
  }
}
