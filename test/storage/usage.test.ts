import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import { autocommit } from '../support/autocommit.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { rex } from './animals.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

describe.each(ENGINES)('usage in $name', ({ open }) => {
  let storage: TestStorage;
  const usage = () => autocommit(storage.database).usage;
  const issue = async (name: string) => {
    const hash = hashKey(name);
    const fields = { hint: name, scopes: [], createdAt: NOON, expiresAt: null } as const;
    return (await autocommit(storage.database).apiKeys.create({ name, hash, ...fields })).id;
  };
  const called = (keyId: number, operationId: string, calls = 1, lastCalledAt = NOON) => ({
    keyId,
    operationId,
    calls,
    lastCalledAt,
  });
  beforeEach(async () => {
    storage = await open();
  });
  afterEach(() => storage.remove());

  test('is empty at first', async () => {
    expect(await usage().list()).toEqual([]);
    await usage().add([]);
    expect(await usage().list()).toEqual([]);
  });

  test('is listed by operation, then by key, with the name of the key', async () => {
    const [first, second] = [await issue('zoe'), await issue('adam')];
    await usage().add([
      called(second, 'listPets'),
      called(first, 'listPets'),
      called(second, 'createPet'),
    ]);
    expect(await usage().list()).toStrictEqual([
      { ...called(second, 'createPet'), keyName: 'adam' },
      { ...called(first, 'listPets'), keyName: 'zoe' },
      { ...called(second, 'listPets'), keyName: 'adam' },
    ]);
  });

  test('is the sum of the calls', async () => {
    const key = await issue('key');
    await usage().add([called(key, 'listPets', 3), called(key, 'getPet', 1)]);
    await usage().add([called(key, 'listPets', 4)]);
    await usage().add([called(key, 'listPets', 1), called(key, 'listPets', 1)]);
    const calls = (await usage().list()).map((row) => [row.operationId, row.calls]);
    expect(calls).toEqual([
      ['getPet', 1],
      ['listPets', 9],
    ]);
  });

  test('counts every call of 50 simultaneous writers', async () => {
    const key = await issue('key');
    await Promise.all(Array.from({ length: 50 }, () => usage().add([called(key, 'listPets', 2)])));
    expect((await usage().list())[0]?.calls).toBe(100);
  });

  test('has the latest time, in any order of writes', async () => {
    const key = await issue('key');
    for (const time of [NOON, NOON + 10, NOON + 5]) {
      await usage().add([called(key, 'listPets', 1, time)]);
    }
    expect((await usage().list())[0]?.lastCalledAt).toBe(NOON + 10);
  });

  test('of an unknown key is refused, without an effect on simultaneous writes', async () => {
    const key = await issue('key');
    const [refused, created] = await Promise.allSettled([
      usage().add([called(key, 'listPets'), called(key + 1, 'listPets')]),
      autocommit(storage.database).pets.create(rex()),
    ]);
    expect([refused.status, created.status]).toEqual(['rejected', 'fulfilled']);
    expect(await usage().list()).toEqual([]);
  });
});
