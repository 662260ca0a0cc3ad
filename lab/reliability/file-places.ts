import { cpSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { withFile } from '../../test/process/maintained.ts';
import { rex } from '../../test/storage/animals.ts';
import { fillCatalogue } from '../../test/storage/full-catalogue.ts';
import { BY_TEST } from '../../test/support/cause.ts';
import { type Workplace, workplace } from '../../test/support/process.ts';
import { createFirstFile } from './first-schema.ts';

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

/** A place with `animals.db` in the first schema. */
export async function firstSchema(): Promise<Workplace> {
  const place = workplace();
  await createFirstFile(place.database);
  return place;
}

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
