import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import { PARTS } from '../../src/storage/tables.ts';
import {
  type CatalogueReplica,
  type CellRow,
  CopyDiffers,
  type CopyResult,
  copyCatalogue,
  TargetNotEmpty,
} from '../../src/transfer/catalogue-copy.ts';
import { importPets } from '../support/catalogue.ts';
import { ENGINES, type Engine } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { int64, rex } from './animals.ts';
import { fillWithEverything, HIGHEST_ID, noonKeyring, tellEverything } from './full-catalogue.ts';

interface Meddling {
  readonly replica?: (replica: CatalogueReplica) => CatalogueReplica;
  readonly progress?: (rows: number) => void;
}

async function copy(
  source: Database,
  target: Database,
  { replica = (one) => one, progress = () => {} }: Meddling = {},
): Promise<CopyResult> {
  const from = await source.transfer.openSnapshot();
  try {
    const to = await target.transfer.openReplica();
    try {
      return await copyCatalogue(from, replica(to), progress);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

const opened: TestStorage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.remove();
});

async function open(engine: Engine | undefined): Promise<TestStorage> {
  const storage = await (engine as Engine).open();
  opened.push(storage);
  return storage;
}

const PAIRS = ENGINES.flatMap((from) =>
  ENGINES.map((to) => [from.name, to.name, { from, to }] as const),
);

describe.each(PAIRS)('a copy from %s to %s', (_from, _to, engines) => {
  let source: Database;
  let target: TestStorage;
  beforeEach(async () => {
    source = (await open(engines.from)).database;
    target = await open(engines.to);
  });

  test('holds the very same, also after reopening', async () => {
    await fillWithEverything(source);
    const all = await tellEverything(source);
    expect(
      Object.values(all).map((part) => part !== undefined && 'length' in part && part.length),
    ).not.toContain(0);
    const { isNew } = await copy(source, target.database);
    expect(isNew).toBe(true);
    expect(await tellEverything(target.database)).toStrictEqual(all);
    await target.reopen();
    expect(await tellEverything(target.database)).toStrictEqual(all);
    expect(await tellEverything(source)).toStrictEqual(all);
  });

  test('knows the keys, and assigns no id again that was ever assigned', async () => {
    const { secret, key } = await fillWithEverything(source);
    await copy(source, target.database);
    const { read, write } = target.database;
    expect(await noonKeyring.verify(read.apiKeys, secret)).toMatchObject({ keyId: key.id });
    const { id } = await write(({ pets }) => pets.create(rex()));
    expect(id).toBe(int64(HIGHEST_ID + 1n));
    const made = await write(({ apiKeys }) =>
      noonKeyring.create(apiKeys, { name: 'k', scopes: [], expiresAt: null }),
    );
    expect(made.key.id).toBe(6);
  });

  test('back again has the same checksums', async () => {
    await fillWithEverything(source);
    const { digest } = await copy(source, target.database);
    const back = await open(engines.from);
    expect(await copy(target.database, back.database)).toEqual({ isNew: true, digest });
    expect([...digest.keys()]).toEqual([...PARTS]);
  });

  test('that is there already is told, and left as it is', async () => {
    await fillWithEverything(source);
    const { digest } = await copy(source, target.database);
    expect(await copy(source, target.database)).toEqual({ isNew: false, digest });
    expect(await tellEverything(target.database)).toStrictEqual(await tellEverything(source));
  });

  test('of a catalogue into which nothing was imported is empty', async () => {
    expect(await importPets(source, [])).toBe(0);
    expect((await copy(source, target.database)).isNew).toBe(true);
    expect((await target.database.write(({ pets }) => pets.create(rex()))).id).toBe(1);
  });

  test('of an empty catalogue is empty', async () => {
    const { isNew, digest } = await copy(source, target.database);
    expect(isNew).toBe(true);
    expect([...digest.values()].map(({ rows }) => rows)).toEqual(PARTS.map(() => 0));
    expect((await target.database.write(({ pets }) => pets.create(rex()))).id).toBe(1);
  });

  test('is of one moment, though the source goes on', async () => {
    await importPets(source, Array(2_500).fill(rex()));
    const from = await source.transfer.openSnapshot();
    const to = await target.database.transfer.openReplica();
    await source.write(({ pets }) => pets.create(rex({ name: 'Mia' })));
    await source.write(({ pets }) => pets.remove(1));
    await copyCatalogue(from, to, () => {});
    await to.close();
    await from.close();
    const { pets } = await tellEverything(target.database);
    expect(pets).toEqual(
      Array.from({ length: 2_500 }, (_, index) => ({ ...rex(), id: index + 1 })),
    );
  });
});

describe.each(ENGINES)('a catalogue in $name', (engine) => {
  let source: Database;
  let target: Database;
  beforeEach(async () => {
    source = (await open(ENGINES[0])).database;
    target = (await open(engine)).database;
  });

  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['an animal', ({ write }) => write(({ pets }) => pets.create(rex()))],
    [
      'nothing but a key',
      ({ write }) =>
        write(({ apiKeys }) =>
          noonKeyring.create(apiKeys, { name: 'k', scopes: [], expiresAt: null }),
        ),
    ],
    [
      'nothing but the memory of an animal',
      async ({ write }) => {
        const { id } = await write(({ pets }) => pets.create(rex()));
        await write(({ pets }) => pets.remove(id));
      },
    ],
  ])('that holds %s is no target, and stays as it is', async (_what, put) => {
    await fillWithEverything(source);
    await put(target);
    const before = await tellEverything(target);
    await expect(copy(source, target)).rejects.toThrow(TargetNotEmpty);
    expect(await tellEverything(target)).toStrictEqual(before);
  });

  test('that has another number of rows of any part is refused before a row is read', async () => {
    await fillWithEverything(source);
    await target.write(({ pets }) => pets.create(rex()));
    const readRows: string[] = [];
    const replica = (one: CatalogueReplica): CatalogueReplica => ({
      ...delegating(one),
      rows(part) {
        readRows.push(part);
        return one.rows(part);
      },
    });
    const progress = (rows: number) => readRows.push(`${rows} rows`);
    await expect(copy(source, target, { replica, progress })).rejects.toThrow(TargetNotEmpty);
    expect(readRows).toEqual([]);
  });

  test('that has as many rows of every part, but others, is refused after a comparison', async () => {
    for (const [database, name] of [
      [source, 'Rex'],
      [target, 'Mia'],
    ] as const) {
      await database.write(({ pets }) => pets.create(rex({ name })));
    }
    const before = await tellEverything(target);
    await expect(copy(source, target)).rejects.toThrow(TargetNotEmpty);
    expect(await tellEverything(target)).toStrictEqual(before);
  });

  test('is empty after a copy that broke off, wherever that was, and can be the target of the next', async () => {
    await fillWithEverything(source);
    await importPets(source, Array(1_500).fill(rex()));
    const empty = await tellEverything(target);
    let steps = 0;
    const breakingAt = (at: number) => () => {
      steps += 1;
      if (steps === at) throw new RangeError('broken off');
    };
    for (let at = 1; ; at += 1) {
      steps = 0;
      const result = await copy(source, target, { progress: breakingAt(at) }).catch(
        (error) => error,
      );
      if (!(result instanceof RangeError)) {
        expect(result).toMatchObject({ isNew: true });
        expect(at).toBe(2 * (PARTS.length + 1) + 1);
        break;
      }
      expect(await tellEverything(target)).toStrictEqual(empty);
    }
    expect(await tellEverything(target)).toStrictEqual(await tellEverything(source));
  });

  test.each(['changed', 'left out'] as const)(
    'that gets one row of any part %s is found to differ, and is empty then',
    async (how) => {
      await fillWithEverything(source);
      const empty = await tellEverything(target);
      for (const part of PARTS) {
        const error = await copy(source, target, { replica: corrupting(part, how) }).catch(
          (reason) => reason,
        );
        expect([part, error]).toEqual([part, expect.any(CopyDiffers)]);
        expect(await tellEverything(target)).toStrictEqual(empty);
      }
      expect((await copy(source, target)).isNew).toBe(true);
    },
  );
});

const delegating = (replica: CatalogueReplica): CatalogueReplica => ({
  parts: replica.parts,
  count: (part) => replica.count(part),
  rows: (part) => replica.rows(part),
  add: (part, rows) => replica.add(part, rows),
  commit: () => replica.commit(),
  close: () => replica.close(),
});

/** A target that writes something else than it is told, in the last row of one part. */
const corrupting =
  (part: string, how: 'changed' | 'left out') =>
  (replica: CatalogueReplica): CatalogueReplica => ({
    ...delegating(replica),
    add: (one, rows) =>
      replica.add(
        one,
        one !== part
          ? rows
          : how === 'left out'
            ? rows.slice(0, -1)
            : [...rows.slice(0, -1), ...rows.slice(-1).map(changed)],
      ),
  });

/** The row with another value, as little different as it can be. */
function changed(row: CellRow): CellRow {
  const isInteger = (cell: unknown) => typeof cell === 'number' || typeof cell === 'bigint';
  const place = row.findLastIndex((cell, index) => index > 0 && isInteger(cell));
  if (place > 0) return row.with(place, int64(BigInt(row[place] as number) - 1n));
  return row.with(-1, `${row.at(-1)} `);
}
