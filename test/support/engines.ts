import type { Database } from '../../src/storage/database.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { temporaryFolder } from './service.ts';

/** A real storage of its own for one test. */
export interface TestStorage {
  /** What is open now: another one after `reopen`. */
  readonly database: Database;
  /** Closes it and opens what it left behind. */
  reopen(): Promise<Database>;
  /** Closes it and leaves nothing behind. */
  remove(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  open(): Promise<TestStorage>;
}

/** Every engine that the behaviour suite runs on: naming one here is all it takes. */
export const ENGINES: readonly Engine[] = [{ name: 'SQLite', open: openSqliteStorage }];

async function openSqliteStorage(): Promise<TestStorage> {
  const folder = temporaryFolder();
  const path = folder.file('animals.db');
  let database = openSqlite(path);
  return {
    get database() {
      return database;
    },
    async reopen() {
      await database.close();
      database = openSqlite(path);
      return database;
    },
    async remove() {
      await database.close();
      folder.remove();
    },
  };
}
