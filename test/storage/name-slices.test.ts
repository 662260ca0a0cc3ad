/** Slices of a few rows, so that many of them end inside a list, at each of its ids. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SORTS, type Sort } from '../../src/http/contract/list-query.ts';
import { type Int64, parseInt64 } from '../../src/int64.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { PetFilters } from '../../src/pets/pet-filters.ts';
import { Lists } from '../../src/storage/lists.ts';
import { PostgresSql } from '../../src/storage/postgres/statements/postgres-sql.ts';
import type { Run } from '../../src/storage/postgres/transactions/transactions.ts';
import type { Sql } from '../../src/storage/sql.ts';
import { SqliteSql } from '../../src/storage/sqlite/statements/sqlite-sql.ts';
import { PETS } from '../../src/storage/tables.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { ENGINES } from '../support/engines.ts';
import { openMigratedScratch } from './postgres/scratch.ts';
import { openScratch as openSqlite } from './sqlite/scratch.ts';

const STATUSES = ['available', 'pending', 'sold', undefined] as const;

/** Ids that are next to each other, and far apart up to the last one that an import keeps. */
const IDS: readonly Int64[] = [1, 2, 3, 50, 51, 9_007_199_254_740_993n, 2n ** 61n, 2n ** 62n];
const ANIMALS = IDS.flatMap((id, index) => {
  const status = STATUSES[index % 4];
  return [
    {
      id,
      name: index % 3 === 0 ? `Rex ${index}` : `Mia ${index}`,
      categoryId: index % 2,
      ...(status && { status }),
    },
  ];
});

const FILTERS: readonly PetFilters[] = [undefined, 0, 1, 2].flatMap((categoryId) =>
  STATUSES.map((status) => ({
    ...(categoryId !== undefined && { categoryId }),
    ...(status && { status }),
  })),
);

interface Opened {
  readonly sql: Sql;
  readonly pets: readonly Pet[];
  readonly remove: () => Promise<void>;
}

async function openOnSqlite(): Promise<Opened> {
  const scratch = openSqlite();
  const { openSqlite: open } = await import('../../src/storage/sqlite/open.ts');
  const database = open(scratch.path);
  await importPets(database, ANIMALS);
  return {
    sql: new SqliteSql(scratch.reading()),
    pets: await exportPets(database),
    async remove() {
      await database.close();
      scratch.remove();
    },
  };
}

async function openOnPostgres(): Promise<Opened> {
  const scratch = await openMigratedScratch();
  const database = await scratch.open();
  await importPets(database, ANIMALS);
  // This driver returns ids as texts.
  const run: Run = async (text, values = []) =>
    (await scratch.sql.unsafe(text, values as never[])).map((row) => ({
      ...row,
      id: parseInt64(row['id']),
    })) as never;
  return {
    sql: new PostgresSql(run),
    pets: await exportPets(database),
    remove: () => scratch.remove(),
  };
}

const lists = new Lists(PETS);

const text = (id: unknown): string => String(id);

const OPEN: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: openOnSqlite,
  PostgreSQL: openOnPostgres,
};

describe.each(ENGINES)('in $name,', ({ name }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = (await OPEN[name]?.()) as Opened;
  });
  afterAll(() => opened.remove());

  /** All matches, read in slices of a few rows. */
  async function readAll(term: string, filters: PetFilters, sort: Sort, rows: number) {
    const found: string[] = [];
    let slices = 0;
    let after: Int64 | undefined;
    do {
      const query = { filters, sort };
      const request = { after, wanted: 100, rows };
      const { items, next } = await lists.slice(opened.sql, term, query, request);
      found.push(...items.map(({ id }) => text(id)));
      after = next as Int64 | undefined;
      slices += 1;
    } while (after !== undefined);
    return { found, slices };
  }

  function expected(term: string, { categoryId, status }: PetFilters, sort: Sort): string[] {
    const found = opened.pets.filter(
      (pet) =>
        pet.name.toLowerCase().includes(term) &&
        (categoryId === undefined || pet.categoryId === categoryId) &&
        (status === undefined || pet.status === status),
    );
    return (sort === 'id' ? found : found.toReversed()).map(({ id }) => text(id));
  }

  test.each([1, 3, 8])('slices of %d rows find what a plain loop finds', async (rows) => {
    for (const sort of SORTS) {
      for (const filters of FILTERS) {
        for (const term of ['rex', 'none']) {
          const { found } = await readAll(term, filters, sort, rows);
          expect([filters, sort, term, found]).toEqual([
            filters,
            sort,
            term,
            expected(term, filters, sort),
          ]);
        }
      }
    }
  });

  test.each([1, 3, 8])('slices of %d rows count what they find', async (rows) => {
    let [count, after]: [number, Int64 | undefined] = [0, undefined];
    do {
      const query = { filters: {}, sort: 'id' } as const;
      const { counts, next } = await lists.count(opened.sql, 'rex', query, { after, rows });
      for (const one of Object.values(counts)) count += Number(one);
      after = next;
    } while (after !== undefined);
    expect(count).toBe(expected('rex', {}, 'id').length);
  });

  test('a slice looks at rows, however far apart their ids are', async () => {
    const { slices } = await readAll('none', {}, 'id', 3);
    expect(slices).toBe(3);
  });

  test('a slice ends with the matches that are wanted', async () => {
    const slice = await lists.slice(
      opened.sql,
      'rex',
      { filters: {}, sort: 'id' },
      { after: undefined, wanted: 2, rows: 8 },
    );
    expect(slice.items.map(({ id }) => text(id))).toEqual(['1', '50']);
    expect(slice.next).toBeUndefined();
  });
});
