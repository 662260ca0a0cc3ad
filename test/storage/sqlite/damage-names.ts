import { Database as Sqlite } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/**
 * Overwrites a part of an index of few names where FTS5 stores it. SQLite refuses statements that do that. The pages of the file stay
 * sound.
 * @param part `entries`: those of a name that contains `zebra`. `structure`: the list of segments, which every search and change needs.
 */
export function damageNames(path: string, part: 'entries' | 'structure' = 'entries'): void {
  const connection = new Sqlite(path);
  connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
  const first = (sql: string) => connection.query(sql).values()[0]?.[0];
  const root = Number(first("SELECT rootpage FROM sqlite_schema WHERE name = 'pet_names_data'"));
  const structure = Buffer.from(
    first('SELECT block FROM pet_names_data WHERE id = 10') as Uint8Array,
  );
  connection.close(true);
  const bytes = readFileSync(path);
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
  const place = page.indexOf(part === 'structure' ? structure : 'ebr');
  if (place === -1) throw new Error('The page does not contain it.');
  page.fill('#', place, place + 6);
  writeFileSync(path, bytes);
}
