import { Keyring } from '../../src/api-keys/keyring.ts';
import { systemClock } from '../../src/clock.ts';
import type { Scope } from '../../src/http/contract/scopes.ts';
import { isPostgresUrl } from '../../src/storage/database-url.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { BY_TEST } from './cause.ts';
import { animalStore } from './process.ts';

/** The scopes of a key that works with animals and orders. */
const WORKING_SCOPES = ['pets:read', 'pets:write', 'orders:read', 'orders:write'] as const;

const keyring = new Keyring({ clock: systemClock, environment: 'production' });

/** Stores an API key as the command `keys create` does, without the start of a process, and returns it. */
export async function createKey(
  path: string,
  scopes: readonly Scope[] = WORKING_SCOPES,
): Promise<string> {
  const database = isPostgresUrl(path)
    ? await openPostgres(path, { connections: 2 })
    : openSqlite(path);
  try {
    const request = { name: 'test', scopes, expiresAt: null };
    const { secret } = await database.write(BY_TEST, ({ apiKeys }) =>
      keyring.create(apiKeys, request),
    );
    return secret;
  } finally {
    await database.close();
  }
}

/** Creates the same key with the command line, with further flags. */
export async function createKeyByCommand(
  database: string,
  ...flags: readonly string[]
): Promise<string> {
  const named = ['--name', 'test', '--scopes', WORKING_SCOPES.join()];
  const created = await animalStore(['keys', 'create', '--database', database, ...named, ...flags]);
  if (created.status !== 0) throw new Error(created.stderr);
  return created.stdout.trim();
}
