import { expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import type { Stores } from '../../../src/storage/database.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The files that this process has open and that have no name: SQLite's temporary files have none. */
const temporaryFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.endsWith(' (deleted)') ? [target] : [];
    } catch {
      return []; // The descriptor of the folder is closed already.
    }
  });

test.skipIf(process.platform !== 'linux')(
  'a large write of the service opens no temporary file',
  async () => {
    const before = temporaryFiles();
    const folder = temporaryFolder();
    const database = openSqlite(folder.file('animals.db'));
    const pet = (count: number) => ({ name: 'x'.repeat(255), categoryId: count % 1_000 });
    const addMany = ({ pets }: Stores): string[] => {
      for (let count = 0; count < 2_000; count += 1) void pets.create(pet(count));
      return temporaryFiles();
    };
    await database.write(BY_TEST, addMany);
    const during = await database.write(BY_TEST, addMany);
    // Meanwhile, databases of other tests may be closed.
    expect(during.filter((file) => !before.includes(file))).toEqual([]);
    await database.close();
    folder.remove();
  },
);
