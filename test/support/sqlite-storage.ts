import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { withIdempotentClose } from './idempotent-close.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { TestStorage } from './test-storage.ts';

/** Opens a new SQLite file in its own folder. */
export async function openSqliteStorage(): Promise<TestStorage> {
  const folder = temporaryFolder();
  const path = folder.file('animals.db');
  let database = withIdempotentClose(openSqlite(path));
  return {
    get database() {
      return database;
    },
    async reopen() {
      await database.close();
      database = withIdempotentClose(openSqlite(path));
      return database;
    },
    async bytes() {
      const names = readdirSync(folder.path);
      return Buffer.concat(await Promise.all(names.map((name) => readFile(folder.file(name)))));
    },
    async remove() {
      await database.close();
      folder.remove();
    },
  };
}
