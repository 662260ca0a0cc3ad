/** A migration waits for the transactions that use its tables, and other writes do not wait behind it for long. */
import { expect, test } from 'bun:test';
import postgres from 'postgres';
import { currentVersion, migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { until } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { failureOf, openMigratedScratch } from './scratch.ts';

const NEXT = 'ALTER TABLE animal_store.pets ADD COLUMN remark text';
const INSERT = "INSERT INTO animal_store.pets (name, category_id) VALUES ('Rex', 1)";

const scratch = useEach(openMigratedScratch);

const migrateToNext = (timeoutMs?: number) =>
  migrate(
    { url: scratch.url, prepared: true, serverTimeoutMs: 0 },
    { migrations: [...MIGRATIONS, NEXT], ...(timeoutMs !== undefined && { timeoutMs }) },
  );

const version = async (): Promise<unknown> =>
  (await scratch.sql`SELECT version FROM animal_store.schema_version`)[0]?.['version'];

test('a migration never lets a write wait for a second, while it waits for a long transaction', async () => {
  const release = await scratch.hold(INSERT);
  const writer = postgres(scratch.url, { max: 1, connection: { lock_timeout: 1_000 } });
  let [added, isOver] = [0, false];
  const writes = (async () => {
    for (; !isOver; added += 1) await writer.unsafe(INSERT);
  })();
  const migrating = migrateToNext();
  const isWaiting = async () => (await scratch.backends('Lock')).length > 0;
  await until(isWaiting);
  await until(async () => !(await isWaiting()));
  const before = added;
  await until(async () => added > before);
  // How long the last step takes, in which it has the lock, depends on this machine.
  await writer`SET lock_timeout = 0`;
  await until(isWaiting);
  await release();
  await migrating;
  isOver = true;
  await writes;
  await writer.end();
  expect(await version()).toBe(currentVersion() + 1);
});

test('a migration gives up with a sentence if a transaction locks its table for too long, and changes nothing', async () => {
  const release = await scratch.hold(INSERT);
  const { failure, message } = await failureOf(migrateToNext(2_000));
  expect([failure, message]).toEqual([
    'unavailable',
    expect.stringContaining('other transactions lock its tables'),
  ]);
  await release();
  expect(await version()).toBe(currentVersion());
});
