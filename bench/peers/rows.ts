/** The rows that every peer begins with, and the table that those on SQLite keep them in. */
import { readFileSync } from 'node:fs';

export interface Row {
  name: string;
  categoryId: number;
  status?: string;
}

/** The rows of the file that ROWS names; the id of a row is its number, from 1. */
export function* readRows(): Generator<Row> {
  for (const line of readFileSync(process.env['ROWS'] ?? '', 'utf8').split('\n')) {
    if (line !== '') yield JSON.parse(line);
  }
}

/** As ours, with no more indexes than the peers need: one more would cost them with each creation. */
export const SQLITE_SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status);
`;

/** A 201 means: on disk, as with ours. */
export const SQLITE_PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA busy_timeout = 5000;
`;
