/** No setting of a role or a database changes what the service does. */
import { describe, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import type { PostgresOptions } from '../../../src/storage/postgres/open.ts';
import { exportPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending } from '../../support/list-query.ts';
import { useEach } from '../../support/use-each.ts';
import { rex } from '../animals.ts';
import { newKey } from '../new-key.ts';
import { failureOf, openMigratedScratch } from './scratch.ts';

const scratch = useEach(openMigratedScratch);

/** Numbers and texts. All others that a user may change are turned to another value, see `setAll`. */
const VALUES: Readonly<Record<string, string>> = {
  DateStyle: 'German',
  default_text_search_config: 'pg_catalog.french',
  extra_float_digits: '-15',
  geqo_threshold: '2',
  gin_fuzzy_search_limit: '1',
  idle_in_transaction_session_timeout: '200ms',
  idle_session_timeout: '200ms',
  join_collapse_limit: '1',
  lock_timeout: '200ms',
  'plpgsql.extra_errors': 'all',
  search_path: 'public',
  statement_timeout: '200ms',
  TimeZone: 'Asia/Kathmandu',
  transaction_timeout: '200ms',
  work_mem: '64kB',
};

/**
 * What nobody may set for a database, and what makes a database read-only on purpose. A parallel worker begins with the database's
 * `transaction_timeout`, and its start takes longer than that beside other load: no query is forced to have one.
 */
const LEFT_OUT = [
  ...['transaction_isolation', 'transaction_deferrable', 'transaction_read_only'],
  'debug_parallel_query',
];
const READ_ONLY = 'default_transaction_read_only';

interface Setting {
  readonly name: string;
  readonly setting: string;
  readonly vartype: string;
  readonly enumvals: readonly string[] | null;
}

/** Gives the database another value of each setting that this version of PostgreSQL lets a user change. */
async function setAll(): Promise<void> {
  const settings = await scratch.sql<Setting[]>`SELECT name, setting, vartype, enumvals
    FROM pg_settings WHERE context = 'user' AND name <> ALL (${[...LEFT_OUT, READ_ONLY]})`;
  const statements = settings.flatMap(({ name, setting, vartype, enumvals }) => {
    const others = vartype === 'bool' ? ['on', 'off'] : (enumvals ?? []);
    const value = VALUES[name] ?? others.find((other) => other !== setting);
    return value === undefined ? [] : [settingOf(name, value)];
  });
  await scratch.sql.unsafe(statements.join(';'));
}

const settingOf = (name: string, value: string) =>
  `ALTER DATABASE ${scratch.name} SET ${name} = '${value}'`;
const set = (name: string, value: string) => scratch.sql.unsafe(settingOf(name, value));

const NAME = "Rex, the \\ '{dog}' NULL";

/** Uses everything that reads and writes, with pauses that the timeouts would not allow. */
async function tour(options: PostgresOptions): Promise<void> {
  const database = await scratch.open({ connections: 2, ...options });
  const { read, write, transfer } = database;
  await importPets(database, Array(300).fill(rex({ name: NAME })));
  const { status: _status, ...unset } = rex();
  // An array with NULL in it.
  const [{ id }] = await Promise.all([
    database.addPet(BY_TEST, unset),
    database.addPet(BY_TEST, rex()),
    database.addPet(BY_TEST, unset),
  ]);
  await sleep(300);
  expect(await read.pets.get(id)).toEqual({ ...unset, id });
  expect(await read.pets.list(ascending({ name: "\\ '{dog}" }), undefined, 500)).toHaveLength(300);
  const hash = hashKey(NAME);
  const { id: keyId } = await write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey(NAME)));
  const scope = { keyId, operation: 'POST /v1/pets', idempotencyKey: NAME };
  const record = { fingerprint: hash, response: hash, savedAt: 0 };
  await write(BY_TEST, ({ idempotencyRecords }) => idempotencyRecords.save(scope, record));
  const kept = await write(BY_TEST, ({ idempotencyRecords }) => idempotencyRecords.find(scope));
  expect(kept?.fingerprint.toHex()).toBe(hash.toHex());
  const imports = await transfer.beginImport(() => BY_TEST);
  await imports.add([rex()]);
  await sleep(300);
  expect(await imports.commit()).toBe(1);
  while (await database.sequenceEvents());
  expect(await exportPets(database)).toHaveLength(304);
  await database.close();
  const { prepared = true } = options;
  const maintenance = maintainPostgres(scratch.url, { prepared, tlsFiles: {}, timeoutMs: 5_000 });
  expect((await maintenance.check()).faults).toEqual([]);
  expect((await maintenance.status(0)).contents?.events).toBeGreaterThan(0);
}

describe('the settings of a database', () => {
  test('change nothing in a session of the service', async () => {
    await setAll();
    await tour({});
  });

  test('that make results wrong are named at the start behind a pooler, and all others change nothing', async () => {
    await setAll();
    // These are the operator's, see docs/postgresql.md, or end at any moment what is in use.
    const idle = ['idle_session', 'idle_in_transaction_session'];
    for (const name of ['statement', 'lock', 'transaction', ...idle])
      await set(`${name}_timeout`, '60s');
    for (;;) {
      const opened = await scratch.open({ prepared: false }).catch((error: StorageError) => error);
      if (!(opened instanceof StorageError)) break;
      const [, name = '', value = ''] = REFUSED.exec(opened.message) ?? [];
      expect(opened.message).toMatch(REFUSED);
      await set(name, value);
    }
    await tour({ prepared: false });
  });

  test.each([true, false])(
    'that disable triggers are refused, with prepared statements: %p',
    async (prepared) => {
      await set('session_replication_role', 'replica');
      const { failure, message } = await failureOf(scratch.open({ prepared }));
      expect(failure).toBe('refused');
      expect(message).toMatch(REFUSED);
      expect(message).toContain('session_replication_role to origin');
    },
  );
});

test('a session is recognized by its timeouts, in whatever unit the server shows them', async () => {
  for (const timeoutMs of [5_000, 10_000, 66_667, 4_000_000, 96_000_000])
    expect(await (await scratch.open({ timeoutMs })).read.pets.get(1)).toBeUndefined();
});

const REFUSED =
  /^The sessions of this role have .* set (\w+) to (.*) for the role and the database \(ALTER ROLE, ALTER DATABASE\)\.$/;
