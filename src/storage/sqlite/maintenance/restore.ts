import { Database as Sqlite } from 'bun:sqlite';
import { chmodSync, chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CopyOptions, RestoreResult } from '../../maintenance.ts';
import { statOf } from '../../same-file.ts';
import { StoredEvents } from '../../stores/event-store.ts';
import { StoredWebhooks } from '../../stores/webhook-store.ts';
import { makeFolderOf } from '../../sync-folder.ts';
import { whileUnused } from '../connections/lock-unused.ts';
import { withPrivateUmask } from '../connections/private-umask.ts';
import { translateErrors } from '../failures.ts';
import { requireFile } from '../integrity/file-check.ts';
import { requireLocalDisk } from '../integrity/network-mount.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';
import { requireNoPartOf } from './backup.ts';
import { chooseReplacedPath, exchange } from './exchange.ts';
import { withVerifiedCopy } from './verified-copy.ts';

/** As `Backups.restore`. */
export async function restore(
  path: string,
  file: string,
  options: CopyOptions,
): Promise<RestoreResult> {
  requireFile(path);
  requireNoPartOf(path, file);
  whileUnused(path, () => {});
  requireLocalDisk(path);
  withPrivateUmask(() => makeFolderOf(path));
  return withVerifiedCopy(file, path, { ...options, acceptsForeign: false }, (copy, result) => {
    const disabled = renew(copy, result.schema.stored ?? 0);
    giveAccessOf(path, copy);
    const replaced = chooseReplacedPath(path);
    whileUnused(path, () => exchange(path, copy, replaced));
    return {
      ...result,
      disabledEndpoints: disabled,
      replaced: [replaced, `${replaced}-wal`].find(existsSync),
    };
  });
}

/**
 * Begins a new generation of events: what clients have read after the backup is not in the copy. Disables the webhook endpoints for the same
 * reason, and returns how many.
 * @param version of the schema.
 */
function renew(copy: string, version: number): number {
  const connection = translateErrors(() => new Sqlite(copy, { strict: true }));
  try {
    return translateErrors(() => {
      const sql = new SqliteSql(connection);
      new StoredEvents(sql).renew();
      return version < 103 ? 0 : (new StoredWebhooks(sql).disableRestored() as number);
    });
  } finally {
    connection.close(true);
  }
}

/** Gives the copy the mode and the owner of the replaced file: the service can open it. */
function giveAccessOf(path: string, copy: string): void {
  const replaced = statOf(path);
  if (replaced?.isFile()) chmodSync(copy, replaced.mode & 0o777);
  const { uid, gid } = replaced ?? statSync(dirname(path));
  // Only root may give a file away.
  if (process.getuid?.() === 0) chownSync(copy, uid, gid);
}
