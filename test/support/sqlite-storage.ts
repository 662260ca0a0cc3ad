import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { withIdempotentClose } from './idempotent-close.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { TestStorage } from './test-storage.ts';

/** A new SQLite file in a folder of its own, in memory if possible. */
export async function openSqliteStorage(): Promise<TestStorage> {
  const folder = temporaryFolder({ inMemory: true });
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
