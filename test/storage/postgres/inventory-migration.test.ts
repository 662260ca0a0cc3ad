/** The migration to counted animals: it counts what exists, and what is added in between. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { autocommit } from '../../support/autocommit.ts';
import { exportPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { rex } from '../animals.ts';
import { INSERT } from './counts.ts';
import { failureOf, gate, openScratch, type Scratch } from './scratch.ts';

const FOLDER = new URL('../../../src/storage/postgres/schema/migrations/', import.meta.url);
const MIGRATIONS = readdirSync(FOLDER)
  .sort()
  .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));

let scratch: Scratch;
beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch.remove());

async function expectExact(database: Database): Promise<void> {
  const expected = { available: 0, pending: 0, sold: 0, unset: 0 };
  for (const { status = 'unset' } of await exportPets(database)) expected[status] += 1;
  expect(await database.read.pets.inventory()).toEqual(expected);
}

describe('the migration', () => {
  const migrateTo = (version: number, timeoutMs?: number) =>
    migrate(
      { url: scratch.url, prepared: true, serverTimeoutMs: 0 },
      {
        migrations: MIGRATIONS.slice(0, version),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
    );

  test('counts the animals that an older version stored', async () => {
    await migrateTo(2);
    await scratch.sql.unsafe(INSERT);
    const database = await scratch.open();
    expect(await database.read.pets.inventory()).toEqual({
      available: 1,
      pending: 1,
      sold: 2,
      unset: 1,
    });
  });

  test('counts what is added between its steps and beside them', async () => {
    await migrateTo(2);
    await scratch.sql.unsafe(INSERT);
    const { opened, open } = gate();
    const added = gate();
    const older = scratch.sql.begin(async (sql) => {
      await sql.unsafe(INSERT);
      added.open();
      await opened;
    });
    await added.opened;
    const migrating = migrateTo(3);
    await until(async () => (await scratch.backends('Lock')).length > 0);
    open();
    await Promise.all([older, migrating]);
    await scratch.sql.unsafe(INSERT);
    const database = await scratch.open();
    await scratch.sql.unsafe(INSERT);
    await expectExact(database);
  });

  test('never lets a write wait for a second, while it waits for a long transaction', async () => {
    await migrateTo(2);
    const { opened, open } = gate();
    const older = scratch.sql.begin(async (sql) => {
      await sql.unsafe(INSERT);
      await opened;
    });
    const writer = postgres(scratch.url, { max: 1, connection: { lock_timeout: 1_000 } });
    let [added, isOver] = [0, false];
    const writes = (async () => {
      for (; !isOver; added += 1) await writer.unsafe(INSERT);
    })();
    const migrating = migrateTo(4);
    const isWaiting = async () => (await scratch.backends('Lock')).length > 0;
    await until(isWaiting);
    await until(async () => !(await isWaiting()));
    const before = added;
    await until(async () => added > before);
    await until(isWaiting);
    open();
    await Promise.all([older, migrating]);
    isOver = true;
    await writes;
    await writer.end();
    await expectExact(await scratch.open());
  });

  test('gives up with a sentence if a transaction locks the tables for too long, and changes nothing', async () => {
    await migrateTo(2);
    const { opened, open } = gate();
    const locked = gate();
    const older = scratch.sql.begin(async (sql) => {
      await sql.unsafe(INSERT);
      locked.open();
      await opened;
    });
    await locked.opened;
    const { failure, message } = await failureOf(migrateTo(3, 1_000));
    expect([failure, message]).toEqual([
      'unavailable',
      expect.stringContaining('other transactions lock its tables'),
    ]);
    open();
    await older;
    const [row] = await scratch.sql`SELECT version FROM animal_store.schema_version`;
    expect(row).toEqual({ version: 2 });
  });

  test('lets a role that wrote the usage before write the calls per day', async () => {
    await migrateTo(1);
    const [service, standby] = [await scratch.createRole(), await scratch.createRole()];
    await scratch.sql.unsafe(`GRANT USAGE ON SCHEMA animal_store TO PUBLIC;
      GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO ${standby};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA animal_store TO ${service}`);
    await (await scratch.open()).close();
    const { apiKeys, usage } = autocommit(await scratch.open({}, scratch.roleUrl(service)));
    const key = { name: 'shop', hash: hashKey('shop'), hint: 'shop', scopes: [] } as const;
    const { id: keyId } = await apiKeys.create({ ...key, createdAt: 0, expiresAt: null });
    const counted = { operationId: 'listPets', calls: 1 };
    for (const lastCalledAt of [0, 1, 86_400_000])
      await usage.add([{ ...counted, keyId, lastCalledAt }]);
    const writing = await scratch.open({}, scratch.roleUrl(service));
    await writing.write(BY_TEST, (stores) => stores.usage.deleteDaysBefore(1));
    const reading = await scratch.open({}, scratch.roleUrl(standby));
    expect(await reading.read.usage.listDays(0)).toEqual([{ ...counted, day: 1 }]);
  });

  test('gives the rights to each role that has rights on the animals', async () => {
    await migrateTo(2);
    const [service, standby] = [await scratch.createRole(), await scratch.createRole()];
    await scratch.sql.unsafe(`GRANT USAGE ON SCHEMA animal_store TO PUBLIC;
      GRANT SELECT ON ALL TABLES IN SCHEMA animal_store TO ${standby};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA animal_store TO ${service}`);
    await (await scratch.open()).close();
    const database = await scratch.open({}, scratch.roleUrl(service));
    await Promise.all(
      Array.from({ length: 120 }, () =>
        database.write(BY_TEST, ({ pets }) => pets.create(rex({ status: 'sold' }))),
      ),
    );
    await database.compactInventory();
    const [rows] = await scratch.sql`SELECT count(*)::int AS count FROM animal_store.pet_counts`;
    expect(rows?.['count']).toBe(1);
    const [counts] = await scratch.sql`SELECT sold::int FROM animal_store.category_counts`;
    expect(counts).toEqual({ sold: 120 });
    await database.write(BY_TEST, ({ pets }) => pets.remove(1));
    const reading = await scratch.open({}, scratch.roleUrl(standby));
    expect(await reading.read.pets.inventory()).toMatchObject({ sold: 119 });
    expect(await reading.read.pets.inventory(1)).toMatchObject({ sold: 119 });
    const writing = reading.write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(String(await writing.catch(String))).toContain('permission denied for table pets');
  });
});
