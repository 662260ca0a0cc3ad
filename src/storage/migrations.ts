import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from './database.ts';

/** Reads the migrations in a folder, in order. The first one leads to schema version 1. */
export const loadMigrations = (folder: URL): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** @param known the newest version that this program knows. @throws StorageError if the schema of a database is newer. */
export function requireKnownVersion(database: string, version: number, known: number): void {
  if (version <= known) return;
  throw new StorageError(
    'refused',
    `${database} has schema version ${version}, but this program knows only ${known}: use a newer version of the program.`,
  );
}
