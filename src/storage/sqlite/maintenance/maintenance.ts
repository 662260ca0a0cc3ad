import type { Database as Sqlite } from 'bun:sqlite';
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { runSteps } from '../../../steps.ts';
import { readContents } from '../../catalogue-contents.ts';
import { countByCategory } from '../../category-counts.ts';
import { StorageError } from '../../database.ts';
import { foldAgain, foldedTables } from '../../folded-texts.ts';
import {
  type CatalogueContents,
  type CheckReport,
  type DatabaseStatus,
  type SqliteMaintenance,
  warnOfOthers,
} from '../../maintenance.ts';
import { statOf } from '../../same-file.ts';
import { openForWriting, sqliteVersion } from '../connections/connection.ts';
import { whileUnused } from '../connections/lock-unused.ts';
import { realPathOf } from '../connections/real-path.ts';
import { translateErrors } from '../failures.ts';
import { hasDamageMarker, hasLostChanges } from '../integrity/damage-marker.ts';
import { missingChanges, requireReadable } from '../integrity/file-check.ts';
import { otherObjects, translateOpenErrors } from '../integrity/integrity-check.ts';
import { requireLocalDisk } from '../integrity/network-mount.ts';
import { hasWalFrames, mayBelongToAnotherFile } from '../integrity/stale-wal.ts';
import { currentVersion, readSchema, requireUsable, schemaVersion } from '../schema/migrate.ts';
import { lastBackupIn, SqliteSql } from '../statements/sqlite-sql.ts';
import { backUp } from './backup.ts';
import { inspect, withFaultOfFile } from './inspect.ts';
import { openUnchanged } from './open-unchanged.ts';
import { restore } from './restore.ts';

/** Maintains the catalogue in a file. */
export function maintainSqlite(path: string): SqliteMaintenance {
  requireReadable(path);
  const file = realPathOf(path);
  return {
    check: () => check(file),
    repair: () => writing(file, repair),
    status: (now) => reading(file, (connection) => status(connection, file, now)),
    schema: () =>
      existsSync(file)
        ? reading(file, readSchema)
        : { stored: undefined, current: currentVersion() },
    requireUnused: () => whileUnused(file, () => {}),
    backups: {
      async backUp(target, options) {
        requireReadable(file);
        return backUp(file, target, options);
      },
      async restore(source, options) {
        requireReadable(source);
        return restore(file, source, options);
      },
    },
  };
}

/** Runs `work` with a connection that changes nothing, and closes it. */
function reading<T>(path: string, work: (connection: Sqlite) => T): T {
  const connection = openUnchanged(path);
  try {
    return translateOpenErrors(path, () => work(connection));
  } finally {
    connection.close(true);
  }
}

function check(path: string): CheckReport {
  requireReadable(path);
  const warnings: string[] = [];
  // Before the file is opened: closing it then would release the locks of this process (fcntl).
  if (hasWalFrames(path) && mayBelongToAnotherFile(path))
    warnings.push(
      `${path}-wal may be left over from another file: the next start checks all of it.`,
    );
  const { faults } = withFaultOfFile(() =>
    reading(path, (connection) => {
      const { stored, current } = readSchema(connection);
      if (stored === undefined)
        throw new StorageError('absent', `There is no catalogue in ${path}.`);
      if (stored !== current)
        warnings.push(
          `The schema has version ${stored}: the next start migrates it to ${current}.`,
        );
      const faults = inspect(connection);
      warnings.push(...warnOfOthers(translateErrors(() => otherObjects(connection))));
      return { faults };
    }),
  );
  if (hasLostChanges(path)) faults.unshift({ kind: 'structure', message: missingChanges(path) });
  else if (hasDamageMarker(path))
    warnings.push(`Damage was found in ${path} before: the next start checks all of it.`);
  return { faults, warnings: [...warnings, ...spaceWarnings(path)] };
}

/** A backup needs as much as the file. The WAL grows while a backup or a check reads. */
function spaceWarnings(path: string): string[] {
  const needed = sizeOf(path) + sizeOf(`${path}-wal`);
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  if (free >= needed) return [];
  return [
    `The disk of ${path} has ${free} bytes left: fewer than the database has (${needed}), which a backup beside it would need.`,
  ];
}

const sizeOf = (path: string): number => statOf(path)?.size ?? 0;

const RECOUNT = `DELETE FROM category_counts; INSERT INTO category_counts ${countByCategory('pets')}`;

function repair(connection: Sqlite): void {
  const repairAll = connection.transaction(() => {
    connection.run(RECOUNT);
    const sql = new SqliteSql(connection);
    for (const table of foldedTables(schemaVersion(connection))) runSteps(foldAgain(sql, table));
  });
  repairAll.immediate();
}

/** Runs `work` with a connection that writes, and closes it. */
function writing(path: string, work: (connection: Sqlite) => unknown): void {
  requireLocalDisk(path);
  const inspectFile = (opened: Sqlite) => requireUsable(opened, path);
  const connection = translateOpenErrors(path, () => openForWriting(path, inspectFile));
  try {
    translateErrors(() => work(connection));
  } finally {
    connection.close(true);
  }
}

function freeBytes(connection: Sqlite): number {
  const pragma = (name: string) =>
    Number(Object.values(connection.query<object, []>(`PRAGMA ${name}`).get() ?? {})[0]);
  return pragma('freelist_count') * pragma('page_size');
}

function status(connection: Sqlite, path: string, now: number): DatabaseStatus {
  connection.run('BEGIN');
  try {
    const schema = readSchema(connection);
    const sql = new SqliteSql(connection);
    const isCurrent = schema.stored === schema.current;
    const contents = isCurrent
      ? (runSteps(readContents(sql, now)) as CatalogueContents)
      : undefined;
    const sizes = { file: sizeOf(path), wal: sizeOf(`${path}-wal`) };
    const engineVersion = sqliteVersion(connection);
    return {
      engine: 'SQLite',
      engineVersion,
      schema,
      contents,
      sizes,
      freeBytes: freeBytes(connection),
      ...(isCurrent && { lastBackupAt: lastBackupIn(sql) }),
      damageFound: hasDamageMarker(path),
    };
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
}
