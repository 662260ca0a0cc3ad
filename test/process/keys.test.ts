import { expect, test } from 'bun:test';
import { createKeyByCommand } from '../support/create-key.ts';
import { animalStore, startService, until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { getStatus } from './connection.ts';
import { expectRefused, maintain } from './maintained.ts';

const place = useEach(workplace);

const DAY_MS = 86_400_000;

interface ShownKey {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt?: string | null;
  readonly key?: string;
}

const createdIn = (database: string): string =>
  `animal-store: Created a catalogue in ${database}, because there was none.\n`;

/** Runs a command of `keys`, and parses its JSON. */
async function keys<T = ShownKey>(database: string, ...args: readonly string[]): Promise<T> {
  const run = await animalStore(['keys', ...args, '--json', '--database', database]);
  expect(run.stderr.replace(createdIn(database), '')).toBe('');
  expect(run.status).toBe(0);
  return JSON.parse(run.stdout) as T;
}

test('keys create prints only the key on standard output, and the message on standard error', async () => {
  const run = await animalStore(['keys', 'create', '--name', 'shop', '--database', place.database]);
  expect(run.status).toBe(0);
  expect(run.stdout).toMatch(/^ask_live_[0-9A-Za-z]{36}\n$/);
  expect(run.stderr).toEndWith('Key 1 (shop) has the scopes pets:read. It is shown only once:\n');
});

test('keys create names the catalogue that it creates, and says nothing of one that exists', async () => {
  const create = ['keys', 'create', '--name', 'shop', '--json', '--database', place.database];
  expect((await animalStore(create)).stderr).toBe(createdIn(place.database));
  expect((await animalStore(create)).stderr).toBe('');
});

test('keys create --json and keys list --json show the same key; only the first shows the secret', async () => {
  const { key = '', ...made } = await keys(place.database, 'create', '--name', 'shop');
  expect(made).toEqual({
    id: 1,
    name: 'shop',
    hint: `ask_live_…${key.slice(-4)}`,
    scopes: ['pets:read'],
    createdAt: expect.any(String),
    expiresAt: null,
    revokedAt: null,
  });
  expect(await keys<ShownKey[]>(place.database, 'list')).toEqual([{ ...made, lastUsedAt: null }]);
  const table = await animalStore(['keys', 'list', '--database', place.database]);
  expect(table.stdout).toMatch(/^ID +NAME +KEY +SCOPES +STATE +CREATED +LAST USED\n1 +shop /);
  expect(table.stdout).toMatch(/ valid +.* never\n$/);
  expect(table.stdout).not.toContain(key);
});

test('--expires takes a duration, a date and a time', async () => {
  const expiry = async (when: string) => {
    const created = await keys(place.database, 'create', '--name', 'a', '--expires', when);
    return { ...created, expiresAt: created.expiresAt ?? '' };
  };
  const inTwoDays = await expiry('2d');
  const life = Date.parse(inTwoDays.expiresAt) - Date.parse(inTwoDays.createdAt);
  expect(Math.abs(life - 2 * DAY_MS)).toBeLessThan(10_000);
  expect((await expiry('2999-01-31')).expiresAt).toBe('2999-01-31T00:00:00.000Z');
  expect((await expiry('2999-01-31T12:00:00+02:00')).expiresAt).toBe('2999-01-31T10:00:00.000Z');
});

test('rotating a revoked id exits with status 1 and one sentence', async () => {
  await createKeyByCommand(place.database);
  await keys(place.database, 'revoke', '1');
  expectRefused(await maintain(place.database, 'keys', 'rotate', '1'), 'Key 1 cannot be rotated');
});

test('while the service runs, rotate creates a key with the same name, scopes and expiry, which --expires replaces; the old key stays valid for the grace period, which --grace 0s skips; revoke ends a key once', async () => {
  const { database } = place;
  await using service = await startService(database);
  const statusWith = ({ key = '' }: ShownKey) => getStatus(service.origin, key, '/pets');
  const flags = ['--scopes', 'pets:write, pets:read,pets:read', '--expires', '90d'];
  const first = await keys(database, 'create', '--name', 'shop', ...flags);
  const second = await keys(database, 'rotate', String(first.id));
  const { name, scopes, expiresAt } = first;
  expect(scopes).toHaveLength(2);
  expect({ ...second }).toMatchObject({ name, scopes: [...scopes], expiresAt });
  expect(await statusWith(first)).toBe(200);
  expect(await statusWith(second)).toBe(200);
  expectRefused(await maintain(database, 'keys', 'rotate', String(first.id)), 'rotated');
  const third = await keys(database, 'rotate', String(second.id), '--grace', '0s');
  expect(await statusWith(second)).toBe(401);
  expect(await statusWith(third)).toBe(200);
  const renewed = await keys(database, 'rotate', String(third.id), '--expires', '2099-01-31');
  expect(renewed).toMatchObject({ name, expiresAt: '2099-01-31T00:00:00.000Z' });
  expect(await statusWith(renewed)).toBe(200);
  const revoked = await keys(database, 'revoke', String(renewed.id));
  expect(revoked.revokedAt).toBeString();
  expect(await statusWith(renewed)).toBe(401);
  expect(await keys(database, 'revoke', String(renewed.id))).toEqual(revoked);
  const list = await keys<ShownKey[]>(database, 'list');
  const old = list.find(({ id }) => id === first.id);
  const grace = Date.parse(old?.expiresAt ?? '') - Date.parse(second.createdAt);
  expect(Math.abs(grace - 3_600_000)).toBeLessThan(10_000);
});

test('a staging key starts with ask_test_, and is valid in staging', async () => {
  const staging = await createKeyByCommand(place.database, '--environment', 'staging');
  const production = await createKeyByCommand(place.database);
  expect(staging).toStartWith('ask_test_');
  await using service = await startService(place.database, ['--environment', 'staging']);
  expect(await getStatus(service.origin, staging, '/pets')).toBe(200);
  expect(await getStatus(service.origin, production, '/pets')).toBe(401);
});

test('a successor is of the environment of its key, and a key unlike all others has a warning', async () => {
  const run = (...args: string[]) => animalStore(['keys', ...args, '--database', place.database]);
  const staging = await run('create', '--name', 'shop', '--environment', 'staging');
  expect(staging.stderr).not.toContain('ENVIRONMENT');
  const rotated = await run('rotate', '1');
  expect([rotated.status, rotated.stdout]).toEqual([0, expect.stringMatching(/^ask_test_/)]);
  const named = await run('rotate', '2', '--environment', 'staging');
  expect([named.status, named.stdout]).toEqual([0, expect.stringMatching(/^ask_test_/)]);
  expect((await run('create', '--name', 'shop', '--json')).stderr).toBe(
    'animal-store: Key 4 is of production, and all others are of staging. A service with ENVIRONMENT=staging refuses it.\n',
  );
  expect((await run('create', '--name', 'shop', '--json')).stderr).toBe('');
});

test('keys list names the end of a key, and a key that is expired or revoked', async () => {
  const { database } = place;
  await createKeyByCommand(database, '--expires', '1ms');
  const list = async () => (await animalStore(['keys', 'list', '--database', database])).stdout;
  await until(async () => /^1 .* expired /m.test(await list()));
  await createKeyByCommand(database, '--expires', '2099-01-31');
  expect(await list()).toMatch(/^2 .* valid until 2099-01-31T00:00:00.000Z /m);
  await keys(database, 'revoke', '2');
  expect(await list()).toMatch(/^2 .* revoked /m);
});

test('keys create and keys rotate confirm the expiry that was asked for', async () => {
  const run = (...args: string[]) => animalStore(['keys', ...args, '--database', place.database]);
  const end = 'and expires at 2099-01-31T00:00:00.000Z. It is shown only once:\n';
  const created = await run('create', '--name', 'shop', '--expires', '2099-01-31');
  expect(created.stderr).toEndWith(`Key 1 (shop) has the scopes pets:read ${end}`);
  const rotated = await run('rotate', '1', '--expires', '2099-01-31');
  expect(rotated.stderr).toStartWith(`Key 2 (shop) has the scopes pets:read ${end}`);
  expect(rotated.stderr).toMatch(/\nThe old key 1 expires at .*Z\.\n$/);
  const { replaced } = JSON.parse((await run('rotate', '2', '--grace', '366d', '--json')).stdout);
  expect(replaced).toMatchObject({ id: 2, expiresAt: expect.stringMatching(/Z$/) });
});
