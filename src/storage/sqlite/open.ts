import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OnBatch } from '../../observe/measurements.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Pet } from '../../pets/pet.ts';
import { CATALOGUE_READERS, type Database, StorageError } from '../database.ts';
import type { OnMigrated } from '../migrations.ts';
import { newestTimeIn } from '../newest-time.ts';
import { Recording } from '../recording.ts';
import { statOf } from '../same-file.ts';
import type { PetAddition } from '../stores/pet-store.ts';
import { storesOn } from '../stores/stores.ts';
import { makeFolderOf } from '../sync-folder.ts';
import { withPrivateUmask } from './connections/private-umask.ts';
import { realPathOf } from './connections/real-path.ts';
import { watchDataVersion } from './connections/version-watch.ts';
import { openWalIndex } from './connections/wal-index.ts';
import { toStorageErrorOn, translateReadErrors, watchForDamage } from './failures.ts';
import { watchWal } from './integrity/cut-wal.ts';
import { createDamageMarker, hasLostChanges } from './integrity/damage-marker.ts';
import { requireReadable, requireSameFile } from './integrity/file-check.ts';
import { rememberFiles } from './integrity/file-identity.ts';
import { FullDisk } from './integrity/full-disk.ts';
import { DamagedFile, damagedError, translateOpenErrors } from './integrity/integrity-check.ts';
import { requireLocalDisk } from './integrity/network-mount.ts';
import { type Announce, openChecked } from './integrity/open-checked.ts';
import { openProbe } from './integrity/probe.ts';
import { rewriteSchemaVersion } from './schema/migrate.ts';
import { lastBackupIn, SqliteSql } from './statements/sqlite-sql.ts';
import { takeCheckpoints } from './transactions/checkpoint.ts';
import { Snapshot } from './transactions/snapshot.ts';
import { Versions } from './transactions/versions.ts';
import { Writer } from './transactions/writer.ts';
import { sqliteTransfer } from './transfer/transfer.ts';

interface SqliteOptions {
  /** Receives `database_damaged` once, after which no request reads or writes, and the events of a full disk. */
  readonly observe?: Observe;
  /** Receives each batch of writes after COMMIT. */
  readonly onBatch?: OnBatch | undefined;
  /** Receives a message for the operator before a step that takes long. */
  readonly announce?: Announce;
  readonly onMigrated?: OnMigrated | undefined;
}

/** The WAL is beside the target of a symbolic link. */
export const hasWal = (path: string): boolean => existsSync(`${realPathOf(path)}-wal`);

/**
 * Opens the catalogue in a file. Creates the file and its folder if missing.
 * @throws StorageError if the file cannot be opened, is damaged, belongs to another program, or to a newer version of this one.
 */
export function openSqlite(
  path: string,
  { observe = () => {}, onBatch, announce = () => {}, onMigrated }: SqliteOptions = {},
): Database {
  makeFolder(path);
  requireReadable(path);
  const realPath = realPathOf(path);
  requireLocalDisk(realPath);
  const connection = translateOpenErrors(realPath, () =>
    requireSameFile(realPath, () => openChecked(realPath, announce, onMigrated)),
  );
  let damage: StorageError | undefined;
  /** Set while a file is not in its place. Reads would return the data of another file than the one at the path. */
  let misplaced: StorageError | undefined;
  watchForDamage(connection, (failure) => {
    const { cause } = failure;
    const what = cause instanceof Error ? cause.message : failure.message;
    damage = failure instanceof DamagedFile ? failure : damagedError(realPath, what, cause);
    createDamageMarker(realPath, { changesLost: wal.isCut() });
    observe({ kind: 'database_damaged', error: damage });
  });
  const openedPath = realpathSync(path);
  const files = rememberFiles(openedPath);
  const index = openWalIndex(openedPath);
  const wal = watchWal(openedPath, index);
  /** Reports a gap in the -wal. A process that has written behind the gap sees only the mark of another process. */
  const findCut = (): DamagedFile | undefined => {
    if (!wal.isCut() && !hasLostChanges(realPath)) return undefined;
    const cut = damagedError(realPath, `${openedPath}-wal was cut short or overwritten`);
    toStorageErrorOn(connection, cut);
    return cut;
  };
  const requireWal = () => {
    const cut = findCut();
    if (cut) throw cut;
  };
  const checks = {
    check() {
      files.check();
      if (wal.isCut()) requireWal();
    },
    confirm: requireWal,
  };
  const watch = index ?? watchDataVersion(openedPath);
  const versions = new Versions(watch, connection);
  const checkpoint = takeCheckpoints(connection, index, requireWal, (error) =>
    observe({ kind: 'checkpoint_failed', error }),
  );
  const writer = new Writer(connection, {
    ...checks,
    checkpoint,
    beginCommit: (changed) => versions.beginCommit(changed),
    onBatch,
    onFailure: (failure, writes) => fullDisk.onFailure(failure, writes),
  });
  const tryWrite = () => writer.write(() => rewriteSchemaVersion(connection));
  const fullDisk = new FullDisk(openedPath, tryWrite, observe);
  const probe = translateOpenErrors(realPath, () => openProbe(openedPath));
  const snapshot = new Snapshot(connection, watch.version);
  const sql = new SqliteSql(connection);
  const stores = translateOpenErrors(realPath, () => storesOn(sql));
  const write: Database['write'] = (cause, work, options) =>
    writer.write(() => {
      if (damage) throw damage;
      return sql.record(new Recording(cause), () => work(stores));
    }, options);
  const createAll = (additions: readonly PetAddition[]): Pet[] => {
    if (damage) throw damage;
    return stores.pets.createFor(additions) as Pet[];
  };
  return {
    read: stores,
    addPet: (cause, pet) =>
      writer.writeInGroup(createAll, { resource: pet, cause }, CATALOGUE_READERS),
    write,
    transfer: sqliteTransfer(path, checks),

    inSnapshot: (work) => snapshot.run(work),
    readsSynchronously: true,

    version() {
      if (damage ?? misplaced) throw damage ?? misplaced;
      return snapshot.version ?? watch.version();
    },

    changesOf: (readers) => versions.changesOf(readers),
    versionsKeysOnly: false,

    checkHealth() {
      if (damage) throw damage;
      try {
        files.checkAll();
        misplaced = undefined;
      } catch (error) {
        if (error instanceof StorageError) misplaced = error;
        throw error;
      }
      translateReadErrors(connection, () => {
        requireWal();
        probe.check(files.checkAll);
      });
      fullDisk.check();
      return { writes: !fullDisk.isFull };
    },

    compactInventory() {},

    sequenceEvents: () => false,

    newestTime: () => newestTimeIn(sql),
    lastBackupAt: () => lastBackupIn(sql),

    measure: () => ({
      walBytes: statOf(`${openedPath}-wal`)?.size ?? 0,
    }),

    async close() {
      await writer.drain();
      probe.close();
      // Closing the connection does the same, and tells nobody of a failure.
      checkpoint?.run();
      const cut = findCut();
      wal.close();
      // The last connection to close checkpoints the WAL and deletes it: the gaps of one that was cut would get into the
      // database file. `true` finalizes the prepared statements: otherwise the connection would stay open as a zombie.
      if (cut === undefined) connection.close(true);
      // After the connection: this releases its locks, and another process could then truncate the memory that it uses.
      watch.close();
    },
  };
}

function makeFolder(path: string): void {
  if (!existsSync(dirname(path))) requireLocalDisk(path);
  try {
    withPrivateUmask(() => makeFolderOf(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `The folder of ${path} cannot be created (${code}).`;
    throw new StorageError('refused', message, { cause: error });
  }
}
