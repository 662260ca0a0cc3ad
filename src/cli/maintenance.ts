import { StorageError } from '../storage/database.ts';
import { isPostgresUrl } from '../storage/database-url.ts';
import {
  type Backups,
  CopyInterrupted,
  type CopyOptions,
  type CopyResult,
  FaultsFound,
  type Maintenance,
} from '../storage/maintenance.ts';
import { maintainPostgres } from '../storage/postgres/maintenance/maintenance.ts';
import { maintainSqlite } from '../storage/sqlite/maintenance/maintenance.ts';
import { type MaintainedConfig, tlsFilesOf } from './database.ts';
import { CommandFailed, cannotWrite } from './failures.ts';
import { interruptible } from './interrupts.ts';
import type { Io } from './io.ts';
import { counted, formatBytes } from './output.ts';
import { type Progress, startProgress } from './progress.ts';

/** Opens nothing yet. */
export const maintenanceOf = (config: MaintainedConfig): Maintenance =>
  isPostgresUrl(config.database)
    ? maintainPostgres(config.database, {
        prepared: config.databasePrepared,
        tlsFiles: tlsFilesOf(config),
        timeoutMs: config.databaseTimeoutMs,
      })
    : maintainSqlite(config.database);

interface CopiedFiles {
  /** The file that is read. */
  readonly source: string;
  /** The file that is written. */
  readonly target: string;
  /** The sentence after a failure, which changed nothing. */
  readonly undone: string;
}

/** Runs a backup or a restore of an SQLite database with progress on standard error, until a signal interrupts it. */
export function copying<T>(
  io: Io,
  database: string,
  files: CopiedFiles,
  work: (backups: Backups, options: CopyOptions) => Promise<T>,
): Promise<T> {
  const { backups } = maintainSqlite(database);
  return interruptible(async (signal) => {
    let progress: Progress | undefined;
    const onProgress = (bytes: number, total: number) => {
      progress ??= startProgress(io, total, 'KiB');
      progress.showRows(Math.floor(bytes / 1024), Math.min(bytes, total));
    };
    const onWarning = (warning: string) =>
      progress
        ? progress.print(`animal-store: ${warning}`)
        : io.message(`animal-store: ${warning}`);
    try {
      return await work(backups, { signal, onProgress, onWarning });
    } catch (error) {
      throw explain(io, error, files);
    } finally {
      progress?.end();
    }
  });
}

function explain(io: Io, error: unknown, { source, target, undone }: CopiedFiles): unknown {
  if (error instanceof FaultsFound) {
    for (const { message } of error.faults) io.message(`animal-store: ${message}`);
    return new CommandFailed(`${source} has ${counted(error.faults.length, 'fault')}. ${undone}`);
  }
  if (error instanceof CopyInterrupted) return new CommandFailed(`Interrupted. ${undone}`);
  if (error instanceof StorageError) return error;
  return cannotWrite(target, error);
}

/** Describes a copy, such as `3 animals, 1 order, 2 API keys (64.0 KiB)`. */
export function describeCopy({ rows, bytes }: CopyResult): string {
  const { pets = 0, orders = 0, api_keys: keys = 0 } = rows;
  const counts = [counted(pets, 'animal'), counted(orders, 'order'), counted(keys, 'API key')];
  return `${counts.join(', ')} (${formatBytes(bytes)})`;
}
