import type { Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import type { OnMigrated } from '../../migrations.ts';
import {
  avoidTemporaryFiles,
  isSafeRelease,
  openForInspection,
  openForWriting,
  RUNNING_TIMEOUT_MS,
  setBusyTimeout,
  sqliteVersion,
} from '../connections/connection.ts';
import { migrate, requireUsable } from '../schema/migrate.ts';
import { hasDamageMarker, removeDamageMarker } from './damage-marker.ts';
import { checkFile } from './file-check.ts';
import { checkIntegrity, checkSchemaAndApiKeys } from './integrity-check.ts';
import { hasWalFrames, mayBelongToAnotherFile } from './stale-wal.ts';

/** Receives a message for the operator. */
export type Announce = (message: string) => void;

/** Checks the file, then opens it. A refused file is not changed. */
export function openChecked(path: string, announce: Announce, onMigrated?: OnMigrated): Sqlite {
  checkFile(path);
  const inspect = (opened: Sqlite) => {
    requireUsable(opened, path);
    checkSchemaAndApiKeys(opened, path);
  };
  const reason = fullCheckReason(path);
  if (reason === undefined && !hasWalFrames(path)) {
    return withCurrentSchema(openForWriting(path, inspect), path, onMigrated);
  }
  // Closing a connection that writes would checkpoint the WAL, and so change a file that is refused.
  const inspector = openForInspection(path);
  try {
    inspect(inspector);
    if (reason !== undefined) {
      announce(`Checking all of ${path} because ${reason}: about 3 s for every million animals.`);
      checkIntegrity(inspector, path);
      // A process that still runs may have found lost changes in the meantime.
      checkFile(path);
      removeDamageMarker(path);
    }
    return withCurrentSchema(openForWriting(path), path, onMigrated);
  } finally {
    inspector.close(true);
  }
}

/** Why the whole file must be checked before use; undefined if it need not be. */
function fullCheckReason(path: string): string | undefined {
  if (hasDamageMarker(path)) return 'damage was found in it before';
  return hasWalFrames(path) && mayBelongToAnotherFile(path)
    ? `${path}-wal may be left over from another file`
    : undefined;
}

/** Migrates the file to the current schema, and prepares the connection for the running service. */
function withCurrentSchema(connection: Sqlite, path: string, onMigrated?: OnMigrated): Sqlite {
  try {
    const version = sqliteVersion(connection);
    if (!isSafeRelease(version)) {
      throw new StorageError(
        'refused',
        `SQLite ${version} has a bug that can lose data: use a newer runtime.`,
      );
    }
    migrate(connection, path, undefined, onMigrated);
    setBusyTimeout(connection, RUNNING_TIMEOUT_MS);
    avoidTemporaryFiles(connection);
    return connection;
  } catch (error) {
    connection.close(true);
    throw error;
  }
}
