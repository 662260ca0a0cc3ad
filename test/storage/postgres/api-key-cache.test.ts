import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiKey, hashKey } from '../../../src/api-keys/api-key.ts';
import type { ApiKeyReader } from '../../../src/api-keys/api-key-store.ts';
import { type IssuedKey, Keyring } from '../../../src/api-keys/keyring.ts';
import { RefusedCredential } from '../../../src/http/request/principal.ts';
import type { Database } from '../../../src/storage/database.ts';
import { ApiKeyCache } from '../../../src/storage/postgres/stores/api-key-cache.ts';
import { rex } from '../animals.ts';
import { openScratch, type Scratch } from './scratch.ts';

const MINUTE_MS = 60_000;

let now = 0;
const keyring = new Keyring({
  clock: { now: () => now },
  environment: 'production',
  randomBytes: (bytes) => crypto.getRandomValues(bytes),
});

const issue = (database: Database, expiresAt: number | null = null): Promise<IssuedKey> =>
  database.write(({ apiKeys }) =>
    keyring.create(apiKeys, { name: 'till', scopes: ['pets:read'], expiresAt }),
  );

const revoke = (database: Database, { key }: IssuedKey) =>
  database.write(({ apiKeys }) => keyring.revoke(apiKeys, key.id));

const isValid = async (database: Database, { secret }: IssuedKey): Promise<boolean> =>
  !((await keyring.verify(database.read.apiKeys, secret)) instanceof RefusedCredential);

describe('an instance caches API keys', () => {
  let scratch: Scratch;
  const open = (apiKeyCacheTtlMs: number) => scratch.open({ connections: 2, apiKeyCacheTtlMs });
  beforeEach(async () => {
    scratch = await openScratch();
    now = 0;
  });
  afterEach(() => scratch.remove());

  test('so that a request does not query its key again', async () => {
    const database = await open(MINUTE_MS);
    const issued = await issue(database);
    expect(await isValid(database, issued)).toBe(true);
    await scratch.sql`DELETE FROM animal_store.api_keys`;
    expect(await isValid(database, issued)).toBe(true);
  });

  test('also after a write that revokes none', async () => {
    const database = await open(MINUTE_MS);
    const issued = await issue(database);
    expect(await isValid(database, issued)).toBe(true);
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    // Handlers receive a copy of the stores with other properties.
    await database.write((stores) => ({ ...stores }).pets.create(rex()));
    await issue(database);
    expect(await isValid(database, issued)).toBe(true);
  });

  test('but not longer than the TTL after another instance revokes one', async () => {
    const ttlMs = 150;
    const [here, there] = [await open(ttlMs), await open(ttlMs)];
    const issued = await issue(here);
    expect(await isValid(here, issued)).toBe(true);
    await revoke(there, issued);
    await sleep(ttlMs);
    expect(await isValid(here, issued)).toBe(false);
  });

  test('but revokes one of its own immediately', async () => {
    const database = await open(MINUTE_MS);
    const [issued, other] = [await issue(database), await issue(database)];
    expect(await isValid(database, issued)).toBe(true);
    await revoke(database, issued);
    expect(await isValid(database, issued)).toBe(false);
    expect(await isValid(database, other)).toBe(true);
  });

  test('but rotates one without a grace period immediately', async () => {
    const database = await open(MINUTE_MS);
    const issued = await issue(database);
    expect(await isValid(database, issued)).toBe(true);
    const successor = await database.write(({ apiKeys }) =>
      keyring.rotate(apiKeys, issued.key.id, { graceMs: 0 }),
    );
    expect(await isValid(database, issued)).toBe(false);
    expect(successor && (await isValid(database, successor))).toBe(true);
  });

  test('but not after their expiry', async () => {
    const database = await open(MINUTE_MS);
    const issued = await issue(database, 1_000);
    now = 999;
    expect(await isValid(database, issued)).toBe(true);
    now = 1_000;
    expect(await isValid(database, issued)).toBe(false);
  });

  test('but not unknown ones: a new key of another instance is valid immediately', async () => {
    const [here, there] = [await open(MINUTE_MS), await open(MINUTE_MS)];
    const issued = await issue(there);
    const [row] = await scratch.sql`DELETE FROM animal_store.api_keys RETURNING *`;
    expect(await isValid(here, issued)).toBe(false);
    await scratch.sql`INSERT INTO animal_store.api_keys ${scratch.sql(row ?? {})}`;
    expect(await isValid(here, issued)).toBe(true);
  });

  test('but not after a failed revocation, which may be committed', async () => {
    const database = await open(MINUTE_MS);
    const issued = await issue(database);
    expect(await isValid(database, issued)).toBe(true);
    const failing = database.write(async ({ apiKeys }) => {
      await keyring.revoke(apiKeys, issued.key.id);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    expect(await isValid(database, issued)).toBe(false);
  });
});

describe('the cache', () => {
  const KEY: ApiKey = {
    id: 1,
    name: 'till',
    hint: 'x',
    scopes: [],
    createdAt: 0,
    expiresAt: null,
    grantedUntil: null,
    revokedAt: null,
    rotatedUntil: null,
  };
  const HASH = hashKey('till');

  /** A reader whose results the test resolves. */
  function slowReader() {
    const results: ((key: ApiKey | undefined) => void)[] = [];
    const reader: ApiKeyReader = {
      findById: () => undefined,
      list: () => [],
      findByHash: () => new Promise((resolve) => results.push(resolve)),
    };
    return { results, reader };
  }

  test('ignores a result that was requested before a revocation', async () => {
    const cache = new ApiKeyCache(MINUTE_MS);
    const { results, reader } = slowReader();
    const cached = cache.wrap(reader);
    const early = cached.findByHash(HASH);
    cache.clear();
    results[0]?.(KEY);
    expect(await early).toEqual(KEY);
    const late = cached.findByHash(HASH);
    results[1]?.({ ...KEY, revokedAt: 5 });
    expect(await late).toMatchObject({ revokedAt: 5 });
  });

  test('starts the TTL with the request, not with the result', async () => {
    const cache = new ApiKeyCache(50);
    const { results, reader } = slowReader();
    const cached = cache.wrap(reader);
    const found = cached.findByHash(HASH);
    await sleep(50);
    results[0]?.(KEY);
    await found;
    void cached.findByHash(HASH);
    expect(results).toHaveLength(2);
  });

  test('has at most 10,000 entries', async () => {
    const cache = new ApiKeyCache(MINUTE_MS);
    let queries = 0;
    const cached = cache.wrap({
      findById: () => undefined,
      list: () => [],
      findByHash: () => {
        queries += 1;
        return KEY;
      },
    });
    const hashes = Array.from({ length: 10_001 }, (_, index) => Buffer.from(`${index}`));
    for (const hash of hashes) cached.findByHash(hash);
    for (const hash of hashes.slice(-1)) cached.findByHash(hash);
    expect(queries).toBe(10_001);
    for (const hash of hashes.slice(0, 1)) cached.findByHash(hash);
    expect(queries).toBe(10_002);
  });
});
