import { readdirSync, readFileSync } from 'node:fs';
import { StorageError } from './database.ts';

/** Reads the migrations in a folder, in order. The first one leads to schema version 1. */
export const loadMigrations = (folder: URL): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** @throws StorageError if the schema of a database is newer than the migrations. */
export function requireKnownVersion(
  database: string,
  version: number,
  migrations: readonly string[],
): void {
  if (version <= migrations.length) return;
  throw new StorageError(
    'refused',
    `${database} has schema version ${version}, but this program knows only ${migrations.length}: use a newer version of the program.`,
  );
}
