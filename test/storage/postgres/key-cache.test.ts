import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiKey, hashKey } from '../../../src/api-keys/api-key.ts';
import type { ApiKeyReader } from '../../../src/api-keys/api-key-store.ts';
import { type IssuedKey, Keyring } from '../../../src/api-keys/keyring.ts';
import type { Database } from '../../../src/storage/database.ts';
import { ApiKeyCache } from '../../../src/storage/postgres/stores/api-key-cache.ts';
import { rex } from '../animals.ts';
import { openScratch, type Scratch } from './scratch.ts';

const A_MINUTE_MS = 60_000;

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

const holds = async (database: Database, { secret }: IssuedKey): Promise<boolean> =>
  (await keyring.verify(database.read.apiKeys, secret)) !== undefined;

describe('an instance remembers keys', () => {
  let scratch: Scratch;
  const open = (apiKeyCacheTtlMs: number) => scratch.open({ connections: 2, apiKeyCacheTtlMs });
  beforeEach(async () => {
    scratch = await openScratch();
    now = 0;
  });
  afterEach(() => scratch.remove());

  test('so that a request does not ask for its caller’s again', async () => {
    const database = await open(A_MINUTE_MS);
    const issued = await issue(database);
    expect(await holds(database, issued)).toBe(true);
    await scratch.sql`DELETE FROM animal_store.api_keys`;
    expect(await holds(database, issued)).toBe(true);
  });

  test('also after a write that ends none', async () => {
    const database = await open(A_MINUTE_MS);
    const issued = await issue(database);
    expect(await holds(database, issued)).toBe(true);
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    // Handlers get the stores spread among other things.
    await database.write((stores) => ({ ...stores }).pets.create(rex()));
    await issue(database);
    expect(await holds(database, issued)).toBe(true);
  });

  test('but one that another instance revoked no longer than it may', async () => {
    const forMs = 150;
    const [here, there] = [await open(forMs), await open(forMs)];
    const issued = await issue(here);
    expect(await holds(here, issued)).toBe(true);
    await revoke(there, issued);
    await sleep(forMs);
    expect(await holds(here, issued)).toBe(false);
  });

  test('but one that it revoked itself ends at once', async () => {
    const database = await open(A_MINUTE_MS);
    const [issued, other] = [await issue(database), await issue(database)];
    expect(await holds(database, issued)).toBe(true);
    await revoke(database, issued);
    expect(await holds(database, issued)).toBe(false);
    expect(await holds(database, other)).toBe(true);
  });

  test('but one that it rotated without grace ends at once, and its successor holds at once', async () => {
    const database = await open(A_MINUTE_MS);
    const issued = await issue(database);
    expect(await holds(database, issued)).toBe(true);
    const successor = await database.write(({ apiKeys }) =>
      keyring.rotate(apiKeys, issued.key.id, 0),
    );
    expect(await holds(database, issued)).toBe(false);
    expect(successor && (await holds(database, successor))).toBe(true);
  });

  test('but one that has expired ends by the clock', async () => {
    const database = await open(A_MINUTE_MS);
    const issued = await issue(database, 1_000);
    now = 999;
    expect(await holds(database, issued)).toBe(true);
    now = 1_000;
    expect(await holds(database, issued)).toBe(false);
  });

  test('but not that there is none: a new one holds at once, whoever made it', async () => {
    const [here, there] = [await open(A_MINUTE_MS), await open(A_MINUTE_MS)];
    const issued = await issue(there);
    const [row] = await scratch.sql`DELETE FROM animal_store.api_keys RETURNING *`;
    expect(await holds(here, issued)).toBe(false);
    await scratch.sql`INSERT INTO animal_store.api_keys ${scratch.sql(row ?? {})}`;
    expect(await holds(here, issued)).toBe(true);
  });

  test('but one whose end may or may not have been committed is asked for again', async () => {
    const database = await open(A_MINUTE_MS);
    const issued = await issue(database);
    expect(await holds(database, issued)).toBe(true);
    const failing = database.write(async ({ apiKeys }) => {
      await keyring.revoke(apiKeys, issued.key.id);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    expect(await holds(database, issued)).toBe(false);
  });
});

describe('what is remembered', () => {
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

  /** Storage that answers when it is told to. */
  function slowReader() {
    const answers: ((key: ApiKey | undefined) => void)[] = [];
    const reader: ApiKeyReader = {
      findById: () => undefined,
      list: () => [],
      findByHash: () => new Promise((resolve) => answers.push(resolve)),
    };
    return { answers, reader };
  }

  test('is not an answer that was asked for before a key was ended, and came after', async () => {
    const cache = new ApiKeyCache(A_MINUTE_MS);
    const { answers, reader } = slowReader();
    const cached = cache.wrap(reader);
    const early = cached.findByHash(HASH);
    cache.clear();
    answers[0]?.(KEY);
    expect(await early).toEqual(KEY);
    const late = cached.findByHash(HASH);
    answers[1]?.({ ...KEY, revokedAt: 5 });
    expect(await late).toMatchObject({ revokedAt: 5 });
  });

  test('counts from the question, not from the answer', async () => {
    const cache = new ApiKeyCache(50);
    const { answers, reader } = slowReader();
    const cached = cache.wrap(reader);
    const asked = cached.findByHash(HASH);
    await sleep(50);
    answers[0]?.(KEY);
    await asked;
    void cached.findByHash(HASH);
    expect(answers).toHaveLength(2);
  });

  test('never is more than a certain number of keys', async () => {
    const cache = new ApiKeyCache(A_MINUTE_MS);
    let asked = 0;
    const cached = cache.wrap({
      findById: () => undefined,
      list: () => [],
      findByHash: () => {
        asked += 1;
        return KEY;
      },
    });
    const hashes = Array.from({ length: 10_001 }, (_, index) => Buffer.from(`${index}`));
    for (const hash of hashes) cached.findByHash(hash);
    for (const hash of hashes.slice(-1)) cached.findByHash(hash);
    expect(asked).toBe(10_001);
    for (const hash of hashes.slice(0, 1)) cached.findByHash(hash);
    expect(asked).toBe(10_002);
  });
});
