import { Database as Sqlite } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/**
 * Overwrites letters of the index of names where FTS5 stores its entries. SQLite refuses statements that do that. The pages of the
 * table stay sound. One of the few names must contain `zebra`.
 */
export function damageNames(path: string, damaged = 'ebr'): void {
  const connection = new Sqlite(path);
  connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const [root] = connection
    .query("SELECT rootpage FROM sqlite_schema WHERE name = 'pet_names_data'")
    .values() as number[][];
  connection.close(true);
  const bytes = readFileSync(path);
  const end = Number(root) * PAGE_BYTES;
  const place = bytes.subarray(0, end).indexOf(damaged, end - PAGE_BYTES);
  if (place === -1) throw new Error('The page contains no such entry.');
  bytes.fill('#', place, place + damaged.length);
  writeFileSync(path, bytes);
}
