import { describe, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedKey } from '../../../src/api-keys/keyring.ts';
import { Cache } from '../../../src/http/request/cache.ts';
import type { Database } from '../../../src/storage/database.ts';
import { withMethods } from '../../contract/with-methods.ts';
import { BY_TEST } from '../../support/cause.ts';
import { startService, type TestService } from '../../support/service.ts';
import { rex } from '../animals.ts';
import { engineOf, gate, useScratch } from './scratch.ts';

const MINUTE_MS = 60_000;

const scratch = useScratch();

function start(
  apiKeyCacheTtlMs = MINUTE_MS,
  wrap = (database: Database): Database => database,
): Promise<TestService> {
  const engine = engineOf(() => scratch.open({ connections: 2, apiKeyCacheTtlMs }));
  return startService({ engine, wrap });
}

const isValid = async (service: TestService, { secret }: IssuedKey): Promise<boolean> =>
  (await service.request('GET', '/v1/pets', { key: secret })).status === 200;

describe('an instance caches API keys', () => {
  test('and a request does not query its key again, also after a write that revokes none', async () => {
    const service = await start();
    const issued = await service.issueKey();
    expect(await isValid(service, issued)).toBe(true);
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    // Handlers receive a copy of the stores with other properties.
    await service.database.write(BY_TEST, (stores) => ({ ...stores }).pets.create(rex()));
    await service.issueKey();
    expect(await isValid(service, issued)).toBe(true);
  });

  test('but not longer than the TTL after another instance revokes one', async () => {
    const ttlMs = 150;
    const [here, there] = [await start(ttlMs), await start(ttlMs)];
    const issued = await here.issueKey();
    expect(await isValid(here, issued)).toBe(true);
    await there.revokeKey(issued.key.id);
    await sleep(ttlMs);
    expect(await isValid(here, issued)).toBe(false);
  });

  test('but revokes one of its own immediately', async () => {
    const service = await start();
    const [issued, other] = [await service.issueKey(), await service.issueKey()];
    expect(await isValid(service, issued)).toBe(true);
    await service.revokeKey(issued.key.id);
    expect(await isValid(service, issued)).toBe(false);
    expect(await isValid(service, other)).toBe(true);
  });

  test('but rotates one without a grace period immediately', async () => {
    const service = await start();
    const issued = await service.issueKey();
    expect(await isValid(service, issued)).toBe(true);
    const path = `/v1/api-keys/${issued.key.id}/rotate`;
    const rotated = await service.request('POST', path, { body: { gracePeriodSeconds: 0 } });
    expect(rotated.status).toBe(201);
    expect(await isValid(service, issued)).toBe(false);
    const { key: secret } = rotated.json as { key: string };
    expect(await isValid(service, { ...issued, secret })).toBe(true);
  });

  test('but not after their expiry', async () => {
    const service = await start();
    const expiresAt = service.clock.now() + MINUTE_MS;
    const issued = await service.issueKey(['pets:read'], expiresAt);
    service.clock.set(expiresAt - 1);
    expect(await isValid(service, issued)).toBe(true);
    service.clock.set(expiresAt);
    expect(await isValid(service, issued)).toBe(false);
  });

  test('but not unknown ones: a new key of another instance is valid immediately', async () => {
    const [here, there] = [await start(), await start()];
    const issued = await there.issueKey();
    const { id } = issued.key;
    const [row] = await scratch.sql`DELETE FROM animal_store.api_keys WHERE id = ${id} RETURNING *`;
    expect(await isValid(here, issued)).toBe(false);
    await scratch.sql`INSERT INTO animal_store.api_keys ${scratch.sql(row ?? {})}`;
    expect(await isValid(here, issued)).toBe(true);
  });

  test('but not after a failed revocation, which may be committed', async () => {
    const service = await start();
    const issued = await service.issueKey();
    expect(await isValid(service, issued)).toBe(true);
    const failing = service.database.write(BY_TEST, async ({ apiKeys }) => {
      await apiKeys.revoke(issued.key.id, 1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    expect(await isValid(service, issued)).toBe(false);
  });
});

describe('a key that was read but not cached yet', () => {
  /** An instance on which each key waits after it was read. */
  async function startSlow(ttlMs: number) {
    const [read, cached] = [gate(), gate()];
    const service = await start(ttlMs, (database) => {
      const { apiKeys } = database.read;
      const findByHash = async (hash: Uint8Array) => {
        const key = await apiKeys.findByHash(hash);
        read.open();
        await cached.opened;
        return key;
      };
      const slow = withMethods(apiKeys, { findByHash });
      return { ...database, read: { ...database.read, apiKeys: slow } };
    });
    return { service, read, cached };
  }

  test('is not cached if it is revoked in the meantime', async () => {
    const { service, read, cached } = await startSlow(MINUTE_MS);
    const issued = await service.issueKey();
    const early = isValid(service, issued);
    await read.opened;
    await service.revokeKey(issued.key.id);
    // A request that begins the cache of the next version.
    await service.request('GET', '/v1/pets', { key: null });
    cached.open();
    expect(await early).toBe(true);
    expect(await isValid(service, issued)).toBe(false);
  });

  test('has a TTL that starts before it was read', async () => {
    const ttlMs = 50;
    const { service, read, cached } = await startSlow(ttlMs);
    const issued = await service.issueKey();
    const early = isValid(service, issued);
    await read.opened;
    await scratch.sql`UPDATE animal_store.api_keys SET revoked_at = 1`;
    await sleep(ttlMs);
    cached.open();
    expect(await early).toBe(true);
    expect(await isValid(service, issued)).toBe(false);
  });
});

const principal = { keyId: 1, scopes: new Set<string>(), expiresAtMs: 1 };

test('the cache has at most 10,000 credentials', () => {
  const cache = new Cache();
  for (let count = 0; count <= 10_000; count += 1)
    cache.savePrincipal(`Bearer ${count}`, principal);
  expect(cache.findPrincipal('Bearer 10000')).toBe(principal);
  expect(cache.findPrincipal('Bearer 0')).toBeUndefined();
});

test('the cache has no credential whose header is longer than any client needs', () => {
  const cache = new Cache();
  for (const length of [256, 257]) cache.savePrincipal('x'.repeat(length), principal);
  expect(cache.findPrincipal('x'.repeat(256))).toBe(principal);
  expect(cache.findPrincipal('x'.repeat(257))).toBeUndefined();
});
