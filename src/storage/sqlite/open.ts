import type { Database as Sqlite } from 'bun:sqlite';
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Observe } from '../../observe/observation.ts';
import { type Database, StorageError, type Stores } from '../database.ts';
import {
  engineVersion,
  isSafeRelease,
  openForInspection,
  openForWriting,
  RUNNING_TIMEOUT_MS,
  waitAtMost,
} from './connections/connection.ts';
import { privately } from './connections/private-files.ts';
import { watchDataVersion } from './connections/version-watch.ts';
import { openWalIndex } from './connections/wal-index.ts';
import { readingOn, watchForDamage } from './failures.ts';
import { isMarkedAsDamaged, markAsDamaged, removeMark } from './integrity/damage-mark.ts';
import { hasChangesInWal, mayBeOfAnotherFile } from './integrity/leftover-wal.ts';
import { openProbe } from './integrity/probe.ts';
import { damaged, opening, requireSound, requireSoundKeys } from './integrity/soundness.ts';
import { migrate, requireUsable } from './schema/migrate.ts';
import { SqliteApiKeyStore } from './stores/api-key-store.ts';
import { SqliteCategoryStore } from './stores/category-store.ts';
import { SqliteIdempotencyRecordStore } from './stores/idempotency-record-store.ts';
import { SqliteOrderStore } from './stores/order-store.ts';
import { SqlitePetStore } from './stores/pet-store.ts';
import { SqliteUsageStore } from './stores/usage-store.ts';
import { Snapshot } from './transactions/snapshot.ts';
import { Writer } from './transactions/writer.ts';
import { SqliteTransfer } from './transfer/transfer.ts';

interface SqliteOptions {
  /** Receives `database_damaged` once: from then on nothing is read or written any more. */
  readonly observe?: Observe;
  /** Is given a sentence before something that takes long. */
  readonly announce?: Announce;
}

type Announce = (words: string) => void;

/**
 * Opens the catalogue in a file, making the file and its folder where there are none.
 * @throws StorageError when the file cannot be opened, is damaged, is of another program, or is newer than this one.
 */
export function openSqlite(
  path: string,
  { observe = () => {}, announce = () => {} }: SqliteOptions = {},
): Database {
  makeFolder(path);
  // SQLite keeps the WAL beside the file that a symbolic link leads to.
  const realPath = existsSync(path) ? realpathSync(path) : path;
  const connection = opening(realPath, () => openConnection(realPath, announce));
  let damage: StorageError | undefined;
  watchForDamage(connection, ({ message, cause }) => {
    damage = damaged(realPath, cause instanceof Error ? cause.message : message, cause);
    markAsDamaged(realPath);
    observe({ kind: 'database_damaged', error: damage });
  });
  const writer = new Writer(connection);
  const openedPath = realpathSync(path);
  const watch = openWalIndex(openedPath) ?? watchDataVersion(openedPath);
  const probe = opening(realPath, () => openProbe(openedPath));
  const snapshot = new Snapshot(connection, watch.version);
  const stores = storesOn(connection);
  const write: Database['write'] = (work) =>
    writer.write(() => {
      if (damage) throw damage;
      return work(stores);
    });
  return {
    read: stores,
    blind: { pets: { create: (pet) => write(({ pets }) => pets.create(pet)) } },
    write,
    transfer: new SqliteTransfer(path),

    inSnapshot: (work) => snapshot.during(work),
    readsSynchronously: true,

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
      watch.close();
      // The last connection to close moves the WAL into the file and removes it. `true` finalizes
      // the prepared statements, without which a connection stays open behind the scenes.
      connection.close(true);
    },
  };
}

const storesOn = (connection: Sqlite): Stores => ({
  pets: new SqlitePetStore(connection),
  categories: new SqliteCategoryStore(connection),
  orders: new SqliteOrderStore(connection),
  idempotencyRecords: new SqliteIdempotencyRecordStore(connection),
  apiKeys: new SqliteApiKeyStore(connection),
  usage: new SqliteUsageStore(connection),
});

function makeFolder(path: string): void {
  try {
    privately(() => mkdirSync(dirname(path), { recursive: true }));
  } catch (error) {
    throw new StorageError('refused', `The folder of ${path} cannot be made.`, { cause: error });
  }
}

/** Opens the file once it is known to be ours and sound. Where it is refused it stays as it is. */
function openConnection(path: string, announce: Announce): Sqlite {
  requireFile(path);
  const inspect = (opened: Sqlite) => {
    requireUsable(opened, path);
    requireSoundKeys(opened, path);
  };
  const doubt = whyDoubtful(path);
  if (doubt === undefined && !hasChangesInWal(path)) {
    return prepared(openForWriting(path, inspect), path);
  }
  // A connection that writes would move the changes from the WAL to the file when it is closed.
  const inspector = openForInspection(path);
  try {
    inspect(inspector);
    if (doubt !== undefined) {
      announce(`Checking all of ${path}, since ${doubt}: some 3 s for every million animals.`);
      requireSound(inspector, path);
      removeMark(path);
    }
    return prepared(openForWriting(path), path);
  } finally {
    inspector.close(true);
  }
}

/** Why all of the file has to be checked before it is used, if so. */
function whyDoubtful(path: string): string | undefined {
  if (isMarkedAsDamaged(path)) return 'damage was found in it before';
  return hasChangesInWal(path) && mayBeOfAnotherFile(path)
    ? `${path}-wal may be left over from another file`
    : undefined;
}

/** Refuses a folder, and a file that SQLite would take for a new one, deleting its WAL. */
function requireFile(path: string): void {
  const file = existsSync(path) ? statSync(path) : undefined;
  if (file?.isDirectory()) {
    throw new StorageError('refused', `${path} is a folder: the database has to be a file.`);
  }
  if (!file?.size && hasChangesInWal(path)) {
    throw damaged(path, `it is ${file ? 'empty' : 'missing'}, but ${path}-wal holds changes to it`);
  }
  if (file === undefined) removeMark(path);
  if (file?.size === 0 && isMarkedAsDamaged(path)) throw damaged(path, 'it is empty');
}

/** Brings the file to the schema of this program. */
function prepared(connection: Sqlite, path: string): Sqlite {
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
