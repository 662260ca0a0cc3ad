/** A service that caches responses returns the counts after each change by another process and by background jobs. */

import { expect, test } from 'bun:test';
import type { Database } from '../../src/storage/database.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { rex } from '../storage/animals.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { exportPets, importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { createKey } from '../support/create-key.ts';
import {
  bearer,
  commandOf,
  inWorkplace,
  startCommand,
  until,
  withService,
} from '../support/process.ts';

const CATEGORIES = [1, 2, 3];

/** Changes of the test, which is another process than the service. */
const CHANGES: Readonly<Record<string, (database: Database) => unknown>> = {
  'a category': ({ write }) =>
    write(BY_TEST, ({ categories }) => categories.create({ id: 3, name: 'Fish' })),
  'an addition': ({ write }) =>
    write(BY_TEST, ({ pets }) => pets.create(rex({ status: 'available' }))),
  'additions in a batch': ({ addPet }) =>
    Promise.all([1, 2].map((categoryId) => addPet(BY_TEST, rex({ categoryId })))),
  'an import': (database) =>
    importPets(database, [rex({ status: 'sold' }), rex({ categoryId: 2, status: 'pending' })]),
  'a changed status': ({ write }) =>
    write(BY_TEST, ({ pets }) => pets.replace({ id: 1, ...rex({ status: 'pending' }) })),
  'a changed category': ({ write }) =>
    write(BY_TEST, ({ pets }) =>
      pets.replace({ id: 1, ...rex({ status: 'pending', categoryId: 2 }) }),
    ),
  'a removal': ({ write }) => write(BY_TEST, ({ pets }) => pets.remove(2)),
  compaction: (database) => database.compactInventory(),
};

const EXPIRED = new Date(1).toISOString();
const DUE_ORDER = { status: 'placed', createdAt: EXPIRED, expiresAt: EXPIRED } as const;

async function expectFresh(origin: string, key: string, database: Database): Promise<void> {
  const read = async (path: string) =>
    (await (await fetch(`${origin}/v1${path}`, bearer(key))).json()) as unknown;
  // The third time, the response comes from the cache.
  for (let time = 0; time < 3; time += 1) {
    const before = await realCounts(database);
    const [listed, ...counted] = await Promise.all([
      read('/categories'),
      ...CATEGORIES.map((id) => read(`/store/inventory?categoryId=${id}`)),
    ]);
    expect(counted).toEqual(before);
    const known = (
      await database.read.categories.list({ filters: {}, sort: 'id' }, undefined, 9)
    ).map((category) => ({ ...category, counts: before[Number(category.id) - 1] }));
    expect(listed).toEqual(known);
  }
}

/** A count of all animals by category and status. */
async function realCounts(database: Database) {
  const counts = CATEGORIES.map(() => ({ available: 0, pending: 0, sold: 0, unset: 0 }));
  for (const { categoryId, status = 'unset' } of await exportPets(database)) {
    const counted = counts[Number(categoryId) - 1];
    if (counted) counted[status] += 1;
  }
  return counts;
}

async function changeBeside(target: string, database: Database): Promise<void> {
  const key = await createKey(target, ['pets:read', 'orders:read']);
  const { write } = database;
  await write(BY_TEST, ({ categories }) => categories.create({ id: 1, name: 'Dogs' }));
  await write(BY_TEST, ({ categories }) => categories.create({ id: 2, name: 'Cats' }));
  for (const status of ['available', 'sold'] as const)
    await write(BY_TEST, ({ pets }) => pets.create(rex({ status })));
  const command = commandOf('serve', '--database', target, '--port', '0');
  await withService(await startCommand(command, { showsKey: false }), async ({ origin }) => {
    await expectFresh(origin, key, database);
    for (const change of Object.values(CHANGES)) {
      await change(database);
      await expectFresh(origin, key, database);
    }
    const held = await write(BY_TEST, ({ pets }) => pets.create(rex({ status: 'pending' })));
    await write(BY_TEST, ({ orders }) => orders.create({ ...DUE_ORDER, petId: held.id }));
    await until(async () => (await database.read.pets.get(held.id))?.status === 'available');
    await expectFresh(origin, key, database);
  });
}

test(
  'on SQLite',
  inWorkplace(async ({ database: path }) => {
    const database = openSqlite(path);
    try {
      await changeBeside(path, database);
    } finally {
      await database.close();
    }
  }),
);

test('on PostgreSQL', async () => {
  await using scratch = await openMigratedScratch();
  await changeBeside(scratch.url, await scratch.open());
});
