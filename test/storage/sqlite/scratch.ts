import { Database as Sqlite } from 'bun:sqlite';
import { afterAll } from 'bun:test';
import { readdirSync } from 'node:fs';
import {
  openForReading,
  openForWriting,
} from '../../../src/storage/sqlite/connections/connection.ts';
import { migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A folder with one database file, and connections to it. */
export interface Scratch extends Disposable {
  readonly path: string;
  files(): string[];
  writing(): Sqlite;
  reading(): Sqlite;
  /** A connection like that of any other program. */
  foreign(): Sqlite;
  /** Closes every connection and removes the folder. */
  remove(): void;
}

export function openScratch(): Scratch {
  const folder = temporaryFolder({ inMemory: true });
  const path = folder.file('animals.db');
  const opened: Sqlite[] = [];
  const track = (connection: Sqlite) => {
    opened.push(connection);
    return connection;
  };
  const remove = () => {
    for (const connection of opened) connection.close(true);
    folder.remove();
  };
  return {
    path,
    files: () => readdirSync(folder.path).sort(),
    writing: () => track(openForWriting(path)),
    reading: () => track(openForReading(path)),
    foreign: () => track(new Sqlite(path)),
    remove,
    [Symbol.dispose]: remove,
  };
}

/** A connection to a new file with the current schema, for all tests of a file. */
export function useMigrated(): Sqlite {
  const scratch = openScratch();
  const connection = scratch.writing();
  migrate(connection, scratch.path);
  afterAll(() => scratch.remove());
  return connection;
}

export function pragma(connection: Sqlite, name: string): unknown {
  const row = connection.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get();
  return row === null ? null : Object.values(row)[0];
}

/** The values of the first column of all rows. */
export const column = (connection: Sqlite, sql: string): unknown[] =>
  connection
    .query<Record<string, unknown>, []>(sql)
    .all()
    .map((row) => Object.values(row)[0]);
