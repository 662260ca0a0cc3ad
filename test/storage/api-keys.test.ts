import { describe, expect, test } from 'bun:test';
import { hashKey, type NewApiKey } from '../../src/api-keys/api-key.ts';
import type { ApiKeyStore } from '../../src/api-keys/api-key-store.ts';
import type { MaybePromise } from '../../src/maybe-promise.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { newKey } from './new-key.ts';

describe.each(ENGINES)('API keys in $name', ({ open }) => {
  const storage = useEach(open);
  const write = <T>(work: (keys: ApiKeyStore) => MaybePromise<T>) =>
    storage.database.write(BY_TEST, ({ apiKeys }) => work(apiKeys));
  const create = (name: string, fields: Partial<NewApiKey> = {}) =>
    write((keys) => keys.create(newKey(name, fields)));
  const find = async (id: number) => storage.database.read.apiKeys.findById(id);

  test('cannot share a hash', async () => {
    const first = await create('one');
    await expect(create('one', { name: 'other' })).rejects.toThrow();
    const found = await storage.database.read.apiKeys.findByHash(hashKey('one'));
    expect(found).toStrictEqual(first);
  });

  test('must exist for their usage', async () => {
    await create('one');
    const ofKeys = [1, 2].map((keyId) => ({
      ...{ keyId, operationId: 'listPets', calls: 1, lastCalledAt: 0 },
    }));
    const added = storage.database.write(BY_TEST, ({ usage }) => usage.add(ofKeys));
    await expect(added).rejects.toThrow();
    expect(await storage.database.read.usage.listDays(0)).toEqual([]);
  });

  test('are revoked once, and a revoked one is no reason for another first key', async () => {
    await create('one');
    for (const time of [7, 8]) await write((keys) => keys.revoke(1, time));
    expect(await find(1)).toMatchObject({ revokedAt: 7 });
    expect(await write((keys) => keys.createFirst(newKey('two')))).toBeUndefined();
    expect(await find(2)).toBeUndefined();
  });

  test('expire at the earliest time given, and keep the time granted at creation', async () => {
    await create('one', { expiresAt: 10 });
    for (const [time, expiresAt] of [
      [15, 10],
      [5, 5],
      [8, 5],
    ] as const) {
      await write((keys) => keys.endBy(1, time));
      expect(await find(1)).toMatchObject({ expiresAt, grantedUntil: 10 });
    }
  });

  test('are left out of the next expiry if expired, revoked or rotated', async () => {
    for (const expiresAt of [null, 1, 2, 4, 3]) await create(`${expiresAt}`, { expiresAt });
    await write((keys) => keys.revoke(2, 0));
    await write((keys) => keys.endBy(3, 5));
    const next = async (now: number) => storage.database.read.apiKeys.nextExpiry(now);
    expect([await next(0), await next(3), await next(4)]).toEqual([3, 4, undefined]);
  });
});
