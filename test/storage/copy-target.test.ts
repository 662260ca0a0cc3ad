import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import { PARTS } from '../../src/storage/tables.ts';
import {
  type CatalogueWriter,
  type CellRow,
  CopyDiffers,
  TargetNotEmpty,
} from '../../src/transfer/catalogue-copy.ts';
import { withMethods } from '../contract/with-methods.ts';
import { int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import { useShared } from '../support/use-each.ts';
import { rex } from './animals.ts';
import { copy, copyFrom, storageOpener, withSource } from './copying.ts';
import { fillCatalogue, readEverything } from './full-catalogue.ts';

const open = storageOpener();

const source = useShared(() => (ENGINES[0] as Engine).open());
beforeAll(() => fillCatalogue(source.database));

describe.each(ENGINES)('a target in $name', (engine) => {
  let target: Database;
  beforeEach(async () => {
    target = (await open(engine)).database;
  });

  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['an animal', ({ write }) => write(BY_TEST, ({ pets }) => pets.create(rex()))],
    [
      'only the highest id, of a deleted animal without an event',
      async ({ read, write }) => {
        const { id } = await write(BY_TEST, ({ pets }) => pets.create(rex()));
        await write(BY_TEST, ({ pets }) => pets.remove(id));
        await read.events.feed();
        await write(BY_TEST, ({ events }) => events.deleteBefore(Number.MAX_SAFE_INTEGER, 9));
      },
    ],
  ])('with %s is refused before a row is read, and not changed', async (_what, put) => {
    await put(target);
    const before = await readEverything(target);
    const readRows: string[] = [];
    const rows = (one: CatalogueWriter, part: string) => {
      readRows.push(part);
      return one.rows(part);
    };
    const writer = (one: CatalogueWriter) => withMethods(one, { rows: (part) => rows(one, part) });
    const progress = (rows: number) => readRows.push(`${rows} rows`);
    await expect(copy(source, target, { writer, progress })).rejects.toThrow(TargetNotEmpty);
    expect(readRows).toEqual([]);
    expect(await readEverything(target)).toStrictEqual(before);
  });

  test('with equal row counts but different rows is refused after a comparison', async () => {
    const small = await open(ENGINES[0]);
    for (const [database, name] of [
      [small.database, 'Rex'],
      [target, 'Mia'],
    ] as const) {
      await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name })));
    }
    const before = await readEverything(target);
    await expect(copy(small, target)).rejects.toThrow(TargetNotEmpty);
    expect(await readEverything(target)).toStrictEqual(before);
  });

  // Each copy is refused if an earlier one has left something.
  test('is empty after copies that failed at their first and last steps, and the next one succeeds', async () => {
    const large = await open(ENGINES[0]);
    await fillCatalogue(large.database);
    await importPets(large.database, Array(1_000).fill(rex()));
    // The animals are two batches. All are written, and then compared.
    const batches = PARTS.length + 1;
    await withSource(large, async (from) => {
      for (const at of [1, batches, batches + 1, 2 * batches]) {
        let steps = 0;
        const progress = () => {
          steps += 1;
          if (steps === at) throw new RangeError('failed');
        };
        await expect(copyFrom(from, target, { progress })).rejects.toThrow(RangeError);
      }
      let said = 0;
      const progress = (rows: number) => (said = rows);
      const { isNew, digest } = await copyFrom(from, target, { progress });
      const rows = [...digest.values()].reduce((sum, part) => sum + part.rows, 0);
      expect([isNew, said]).toEqual([true, 2 * rows]);
    });
    expect(await readEverything(target)).toStrictEqual(await readEverything(large.database));
  });

  test('is empty after copies with one changed row of any part', async () => {
    await withSource(source, async (from) => {
      // The comparison is the same for both: only how rows are written and removed differs.
      for (const part of engine.name === 'SQLite' ? PARTS : PARTS.slice(0, 2)) {
        const copied = copyFrom(from, target, { writer: corrupting(part) });
        await expect(copied, part).rejects.toThrow(CopyDiffers);
      }
      expect(await copyFrom(from, target)).toMatchObject({ isNew: true });
    });
  });
});

/** A target that changes the last row of each batch of one part. */
const corrupting =
  (part: string) =>
  (writer: CatalogueWriter): CatalogueWriter =>
    withMethods(writer, {
      add: (one, rows) =>
        writer.add(one, one === part ? rows.with(-1, changed(rows.at(-1) as CellRow)) : rows),
    });

/** The row with the smallest possible change in one value. */
function changed(row: CellRow): CellRow {
  const isInteger = (cell: unknown) => typeof cell === 'number' || typeof cell === 'bigint';
  const column = row.findLastIndex((cell, index) => index > 0 && isInteger(cell));
  if (column > 0) return row.with(column, int64(BigInt(row[column] as number) - 1n));
  return row.with(-1, `${row.at(-1)} `);
}
