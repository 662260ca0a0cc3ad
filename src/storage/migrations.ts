import { StorageError } from './database.ts';

/** Receives the versions before and after a migration of a database that was not new. */
export type OnMigrated = (from: number, to: number) => void;

/** @param known the newest version that this program knows. @throws StorageError if the schema of a database is newer. */
export function requireKnownVersion(database: string, version: number, known: number): void {
  if (version <= known) return;
  throw new StorageError(
    'refused',
    `${database} has schema version ${version}, but this program knows only ${known}: use a newer version of the program.`,
  );
}
