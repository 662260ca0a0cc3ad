import { StorageError } from '../../database.ts';
import { statOf } from '../../same-file.ts';
import { openForReading } from '../connections/connection.ts';
import { FRAME_HEADER_BYTES } from './wal-format.ts';

/** Checks that the database file is readable and whole. */
export interface Probe {
  /**
   * @param requireSame throws if another file is at the path, or none: its size says nothing about this one.
   * @throws SQLiteError or StorageError if the check fails.
   */
  check(requireSame: () => void): void;
  close(): void;
}

/**
 * Opens a probe of the database file at a path without symbolic links. It has its own connection without a page
 * cache: the connection for requests has many pages in memory and would not detect that the file is cut.
 */
export function openProbe(path: string): Probe {
  const connection = openForReading(path);
  connection.run('PRAGMA cache_size = 0');
  const begin = connection.prepare('BEGIN');
  const end = connection.prepare('ROLLBACK');
  const reads = [
    'pets ORDER BY id',
    'pets ORDER BY id DESC',
    'api_keys',
    'categories',
    'orders',
  ].map((table) => connection.prepare(`SELECT * FROM ${table} LIMIT 1`));
  const pageCount = connection.prepare<{ page_count: number }, []>('PRAGMA page_count');
  const pageSize = connection.prepare<{ page_size: number }, []>('PRAGMA page_size').get()
    ?.page_size as number;
  return {
    check(requireSame) {
      begin.run();
      try {
        for (const read of reads) read.get();
        const size = statOf(path)?.size ?? 0;
        const missing = (pageCount.get()?.page_count ?? 0) - Math.floor(size / pageSize);
        if (missing > pagesInWal(path, pageSize)) {
          requireSame();
          throw new StorageError('damaged', 'it was truncated');
        }
      } finally {
        if (connection.inTransaction) end.run();
      }
    },
    close: () => connection.close(true),
  };
}

/**
 * Pages that are not in the file yet are in the WAL. The open transaction prevents a reset of the WAL.
 * Checkpointed frames count, too: with a WAL of 4 MiB, about 1,000 pages may be missing before the probe detects it.
 */
function pagesInWal(path: string, pageSize: number): number {
  const size = statOf(`${path}-wal`)?.size ?? 0;
  return Math.floor(size / (FRAME_HEADER_BYTES + pageSize));
}
