import { expect, test } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { rex } from '../animals.ts';
import { column, openScratch } from './scratch.ts';

const PAGE_BYTES = 4_096;

test.each([
  ['first', 0],
  ['last', -1],
])(
  'zeros in place of the page of the %s animals are found by the next ping',
  async (_which, at) => {
    const scratch = openScratch();
    const filled = openSqlite(scratch.path);
    await filled.write(({ pets }) => {
      for (let count = 0; count < 1_000; count += 1) pets.create(rex());
    });
    await filled.close();
    const pages = column(
      scratch.reading(),
      "SELECT pageno FROM dbstat WHERE name = 'pets' AND pagetype = 'leaf' ORDER BY path",
    );
    expect(pages.length).toBeGreaterThan(2);
    const database = openSqlite(scratch.path);
    try {
      database.ping();
      const file = openSync(scratch.path, 'r+');
      const position = (Number(pages.at(at)) - 1) * PAGE_BYTES;
      writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, position);
      closeSync(file);
      expect(() => database.ping()).toThrow('The SQLite database is damaged');
    } finally {
      await database.close();
      scratch.remove();
    }
  },
);
