import { StorageError } from './database.ts';

/** Receives the versions before and after a migration of a database that was not new. */
export type OnMigrated = (from: number, to: number) => void;

/** The version that the first migration leads to. Schemas with a lower one were never released. */
export const FIRST_VERSION = 100;

/** The version that migrations lead to. */
export const versionAfter = (migrations: readonly string[]): number =>
  FIRST_VERSION - 1 + migrations.length;

/** The version that follows another one; 0: there is no schema. */
export const nextVersion = (version: number): number => Math.max(version + 1, FIRST_VERSION);

/** The migrations that a schema of a version has. */
export const migrationsOf = (migrations: readonly string[], version: number): readonly string[] =>
  migrations.slice(0, Math.max(0, version - FIRST_VERSION + 1));

/** The migration that leads to the next version. Undefined if there is none. */
export const migrationAfter = (
  migrations: readonly string[],
  version: number,
): string | undefined => migrations[migrationsOf(migrations, version).length];

/**
 * @param version 0: there is no schema.
 * @throws StorageError if this program does not know the schema of a database.
 */
export function requireKnownVersion(
  database: string,
  version: number,
  migrations: readonly string[],
): void {
  const known = versionAfter(migrations);
  if (version > known) {
    throw new StorageError(
      'refused',
      `${database} has schema version ${version}, but this program knows only ${known}: use a newer version of the program.`,
    );
  }
  if (version !== 0 && version < FIRST_VERSION) {
    throw new StorageError(
      'refused',
      `${database} has schema version ${version}, from before the first release. This program cannot migrate it: export its animals ` +
        'and categories with the program that wrote it, and import them into a new database.',
    );
  }
}
