import { expect, test } from 'bun:test';
import { closeSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { isSameFile } from '../../../src/storage/same-file.ts';
import { rememberFiles } from '../../../src/storage/sqlite/integrity/file-identity.ts';
import { openProbe } from '../../../src/storage/sqlite/integrity/probe.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { rex } from '../animals.ts';
import { column, openScratch, type Scratch } from './scratch.ts';

const PAGE_BYTES = 4_096;

/** Overwrites a page with zeros while the file is open, and checks its health. */
async function expectFound(scratch: Scratch, selectPages: string, at: number): Promise<void> {
  const pages = column(scratch.reading(), selectPages);
  const database = openSqlite(scratch.path);
  try {
    database.checkHealth();
    const file = openSync(scratch.path, 'r+');
    const position = (Number(pages.at(at)) - 1) * PAGE_BYTES;
    writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, position);
    closeSync(file);
    expect(() => database.checkHealth()).toThrow('The SQLite database is damaged');
  } finally {
    await database.close();
    scratch.remove();
  }
}

test.each([
  ['first', 0],
  ['last', -1],
])(
  'zeros in place of the page of the %s animals are found by the next health check',
  async (_which, at) => {
    const scratch = openScratch();
    const filled = openSqlite(scratch.path);
    await filled.write(BY_TEST, ({ pets }) => {
      for (let count = 0; count < 1_000; count += 1) pets.create(rex());
    });
    await filled.close();
    const leaves = "FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf'";
    expect(column(scratch.reading(), `SELECT pageno ${leaves}`).length).toBeGreaterThan(2);
    await expectFound(scratch, `SELECT pageno ${leaves} ORDER BY path`, at);
  },
);

test.each(['api_keys', 'categories', 'orders'])(
  'zeros in place of the first page of %s are found by the next health check',
  async (table) => {
    const scratch = openScratch();
    await openSqlite(scratch.path).close();
    await expectFound(scratch, `SELECT rootpage FROM sqlite_schema WHERE name = '${table}'`, 0);
  },
);

test.skipIf(process.platform !== 'linux')('a file of another disk is another one', () => {
  // The number of each is 1.
  expect(isSameFile('/proc', '/sys')).toBe(false);
});

test('an index of the -wal that is removed is found by the next health check', async () => {
  using scratch = openScratch();
  const database = openSqlite(scratch.path);
  rmSync(`${scratch.path}-shm`);
  expect(() => database.checkHealth()).toThrow('-shm was removed or replaced');
  await database.close();
});

test.each(['moved away', 'replaced by a smaller one'])(
  'a file that is %s just before it is measured is not damaged',
  async (what) => {
    const scratch = openScratch();
    await openSqlite(scratch.path).close();
    const probe = openProbe(scratch.path);
    const { checkAll } = rememberFiles(scratch.path);
    try {
      probe.check(checkAll);
      renameSync(scratch.path, `${scratch.path}.old`);
      if (what !== 'moved away') writeFileSync(scratch.path, 'another file');
      expect(() => probe.check(checkAll)).toThrow('was removed or replaced');
    } finally {
      probe.close();
      scratch.remove();
    }
  },
);
