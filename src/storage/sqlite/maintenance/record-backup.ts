import type { Database as Sqlite } from 'bun:sqlite';
import { openForWriting } from '../connections/connection.ts';
import { translateErrors } from '../failures.ts';
import { requireLocalDisk } from '../integrity/network-mount.ts';
import { hasWalFrames, mayBelongToAnotherFile } from '../integrity/stale-wal.ts';
import { requireUsable } from '../schema/migrate.ts';

/** How long to wait for a write of the service. An import holds the lock longer. */
const TIMEOUT_MS = 5_000;

/**
 * Records in the database that it was backed up, for the metrics and `status`. The next backup has this time, too.
 * @param at in milliseconds since 1970-01-01T00:00:00Z.
 * @returns why it cannot be recorded, undefined if it is. It is no reason for a backup to fail.
 */
export function recordBackup(path: string, at: number): string | undefined {
  // A connection that writes would put this WAL into the file.
  if (hasWalFrames(path) && mayBelongToAnotherFile(path))
    return `${path}-wal may be left over from another file`;
  try {
    requireLocalDisk(path);
    const inspect = (opened: Sqlite) => requireUsable(opened, path);
    const connection = translateErrors(() => openForWriting(path, inspect, TIMEOUT_MS));
    try {
      translateErrors(() => connection.query('UPDATE last_backup SET at = ?').run(at));
    } finally {
      connection.close(true);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\.$/, '');
  }
}
