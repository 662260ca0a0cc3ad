import { beforeEach, describe, expect, test } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import { PARTS } from '../../src/storage/tables.ts';
import {
  type CatalogueWriter,
  type CellRow,
  CopyDiffers,
  TargetNotEmpty,
} from '../../src/transfer/catalogue-copy.ts';
import { int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { rex } from './animals.ts';
import { copy, copyFrom, storageOpener, withSource } from './copying.ts';
import { fillCatalogue, noonKeyring, readEverything } from './full-catalogue.ts';

const open = storageOpener();

describe.each(ENGINES)('a target in $name', (engine) => {
  let source: TestStorage;
  let target: Database;
  beforeEach(async () => {
    source = await open(ENGINES[0]);
    target = (await open(engine)).database;
  });

  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['an animal', ({ write }) => write(BY_TEST, ({ pets }) => pets.create(rex()))],
    [
      'only an API key',
      ({ write }) =>
        write(BY_TEST, ({ apiKeys }) =>
          noonKeyring.create(apiKeys, { name: 'k', scopes: [], expiresAt: null }),
        ),
    ],
    [
      'only the highest id, of a deleted animal',
      async ({ write }) => {
        const { id } = await write(BY_TEST, ({ pets }) => pets.create(rex()));
        await write(BY_TEST, ({ pets }) => pets.remove(id));
      },
    ],
  ])('with %s is refused as a target and not changed', async (_what, put) => {
    await fillCatalogue(source.database);
    await put(target);
    const before = await readEverything(target);
    await expect(copy(source, target)).rejects.toThrow(TargetNotEmpty);
    expect(await readEverything(target)).toStrictEqual(before);
  });

  test('with different row counts is refused before a row is read', async () => {
    await fillCatalogue(source.database);
    await target.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const readRows: string[] = [];
    const writer = (one: CatalogueWriter): CatalogueWriter => ({
      ...delegating(one),
      rows(part) {
        readRows.push(part);
        return one.rows(part);
      },
    });
    const progress = (rows: number) => readRows.push(`${rows} rows`);
    await expect(copy(source, target, { writer, progress })).rejects.toThrow(TargetNotEmpty);
    expect(readRows).toEqual([]);
  });

  test('with equal row counts but different rows is refused after a comparison', async () => {
    for (const [database, name] of [
      [source.database, 'Rex'],
      [target, 'Mia'],
    ] as const) {
      await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name })));
    }
    const before = await readEverything(target);
    await expect(copy(source, target)).rejects.toThrow(TargetNotEmpty);
    expect(await readEverything(target)).toStrictEqual(before);
  });

  test('is empty after a copy that failed at any step, and the next copy succeeds', async () => {
    await fillCatalogue(source.database);
    await importPets(source.database, Array(1_000).fill(rex()));
    const empty = await readEverything(target);
    let steps = 0;
    const failingAt = (at: number) => () => {
      steps += 1;
      if (steps === at) throw new RangeError('failed');
    };
    await withSource(source, async (from) => {
      for (let at = 1; ; at += 1) {
        steps = 0;
        const result = await copyFrom(from, target, { progress: failingAt(at) }).catch(
          (error) => error,
        );
        if (!(result instanceof RangeError)) {
          expect(result).toMatchObject({ isNew: true });
          expect(at).toBe(2 * (PARTS.length + 1) + 1);
          break;
        }
        expect(await readEverything(target)).toStrictEqual(empty);
      }
    });
    expect(await readEverything(target)).toStrictEqual(await readEverything(source.database));
  });

  test.each(['changed', 'missing'] as const)(
    'is empty after a copy with one row of any part %s',
    async (how) => {
      await fillCatalogue(source.database);
      const empty = await readEverything(target);
      await withSource(source, async (from) => {
        for (const part of PARTS) {
          const error = await copyFrom(from, target, { writer: corrupting(part, how) }).catch(
            (reason) => reason,
          );
          // Without an endpoint, the database itself refuses its secrets.
          const isReferenced = how === 'missing' && part === 'webhook_endpoints';
          expect([part, error]).toEqual([part, expect.any(isReferenced ? Error : CopyDiffers)]);
          expect(await readEverything(target)).toStrictEqual(empty);
        }
      });
      expect((await copy(source, target)).isNew).toBe(true);
    },
  );
});

const delegating = (writer: CatalogueWriter): CatalogueWriter => ({
  parts: writer.parts,
  count: (part) => writer.count(part),
  rows: (part) => writer.rows(part),
  add: (part, rows) => writer.add(part, rows),
  commit: () => writer.commit(),
  close: () => writer.close(),
});

/** A target that changes or omits the last row of one part. */
const corrupting =
  (part: string, how: 'changed' | 'missing') =>
  (writer: CatalogueWriter): CatalogueWriter => ({
    ...delegating(writer),
    add: (one, rows) =>
      writer.add(
        one,
        one !== part
          ? rows
          : how === 'missing'
            ? rows.slice(0, -1)
            : [...rows.slice(0, -1), ...rows.slice(-1).map(changed)],
      ),
  });

/** The row with the smallest possible change in one value. */
function changed(row: CellRow): CellRow {
  const isInteger = (cell: unknown) => typeof cell === 'number' || typeof cell === 'bigint';
  const column = row.findLastIndex((cell, index) => index > 0 && isInteger(cell));
  if (column > 0) return row.with(column, int64(BigInt(row[column] as number) - 1n));
  return row.with(-1, `${row.at(-1)} `);
}
