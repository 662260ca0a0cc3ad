import { cpSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openForWriting } from '../../src/storage/sqlite/connections/connection.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { withFile } from '../process/maintained.ts';
import { rex } from '../storage/animals.ts';
import { fillCatalogue } from '../storage/full-catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { type Workplace, workplace } from '../support/process.ts';

/** A file that is written later than a WAL looks like a file from another place. */
const LATER_MS = 20;

/** Copies a database to another place, with the WAL that a killed process left. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  cpSync(from, to);
  if (!existsSync(`${from}-wal`)) return;
  await sleep(LATER_MS);
  cpSync(`${from}-wal`, `${to}-wal`);
}

/**
 * A place with `animals.db`, which has rows of every kind and its last changes in its WAL, as after `kill -9` of a service,
 * and `first.db`, a backup from before these changes.
 */
export async function killedService(): Promise<Workplace> {
  const made = workplace();
  const place = workplace();
  const fill = openSqlite(made.database);
  await fillCatalogue(fill);
  await fill.close();
  withFile(made.database, (connection) =>
    connection.query('VACUUM INTO ?').run(place.file('first.db')),
  );
  const open = openSqlite(made.database);
  for (let count = 0; count < 50; count += 1)
    await open.write(BY_TEST, ({ pets }) => pets.create(rex({ name: `later ${count}` })));
  await copyDatabase(made.database, place.database);
  await open.close();
  made.remove();
  return place;
}

/** The version from which `migrate` starts: the first one with orders. */
const OLD_SCHEMA = 2;

/** A place with `animals.db` in the schema of an old version. */
export function oldSchema(): Workplace {
  const place = workplace();
  const connection = openForWriting(place.database);
  migrate(connection, place.database, MIGRATIONS.slice(0, OLD_SCHEMA));
  connection.run(OLD_ROWS);
  connection.close(true);
  return place;
}

export const OLD_ROWS = `
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
    INSERT INTO pets (name, category_id, status)
    SELECT 'animal ' || n, n % 7, CASE WHEN n <= 20 THEN 'pending' END FROM numbers;
  INSERT INTO categories (id, name) VALUES (1, 'dogs');
  INSERT INTO orders (pet_id, status, created_at, expires_at)
    SELECT id, 'approved', 1, NULL FROM pets WHERE status = 'pending';
  INSERT INTO api_keys (name, hash, hint, scopes, created_at)
    VALUES ('till', x'${'01'.repeat(32)}', 'a', 'pets:read keys:admin', 1);`;

/** Copies all databases of a place. */
export async function copyPlace(from: Workplace): Promise<Workplace> {
  const to = workplace();
  for (const name of from.files())
    if (!/-(?:wal|shm)$/.test(name)) await copyDatabase(from.file(name), to.file(name));
  // A WAL whose database is missing.
  for (const name of from.files())
    if (name.endsWith('-wal') && !to.has(name)) await to.write(name, from.read(name));
  return to;
}
