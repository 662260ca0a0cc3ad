import { describe, expect, test } from 'bun:test';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { newKey } from './new-key.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

describe.each(ENGINES)('usage in $name', ({ open }) => {
  const storage = useEach(open);

  /** Counts calls of keys, the first of which has the id 1. */
  const add = (...counted: readonly [keyId: number, operationId: string, lastCalledAt: number][]) =>
    storage.database.write(BY_TEST, ({ usage }) =>
      usage.add(
        counted.map(([keyId, operationId, lastCalledAt]) => ({
          ...{ keyId, operationId, calls: 1, lastCalledAt },
        })),
      ),
    );
  const issue = (name: string) =>
    storage.database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey(name)));

  test('has the latest time, in any order of writes', async () => {
    await issue('key');
    for (const time of [NOON, NOON + 10, NOON + 5]) await add([1, 'listPets', time]);
    const expected = [{ lastCalledAt: NOON + 10, calls: 3, keyName: 'key' }];
    expect(await storage.database.read.usage.list()).toMatchObject(expected);
  });

  test('is listed by operation in the order of code points, the latest keys first, and per day for all keys', async () => {
    for (const name of ['zoe', 'adam', 'eve']) await issue(name);
    // The calls of a day before that could not be stored are counted apart.
    await add([1, 'ListPets', NOON + 9], [1, 'getPet', NOON], [1, 'getPet', NOON - 86_400_000]);
    await add([3, 'getPet', NOON + 5], [2, 'getPet', NOON + 5]);
    const ofAll = { operationId: 'getPet', totalCalls: 4, keyCount: 3 };
    expect(await storage.database.read.usage.listLatest(2)).toMatchObject([
      { operationId: 'ListPets', keyName: 'zoe', totalCalls: 1, keyCount: 1 },
      { ...ofAll, keyName: 'adam' },
      { ...ofAll, keyName: 'eve' },
    ]);
    const listed = await storage.database.read.usage.list();
    const all = ['ListPets zoe', 'getPet zoe', 'getPet adam', 'getPet eve'];
    expect(listed.map(({ operationId, keyName }) => `${operationId} ${keyName}`)).toEqual(all);
    const day = Math.floor(NOON / 86_400_000);
    expect(await storage.database.read.usage.listDays(day)).toEqual([
      { day, operationId: 'ListPets', calls: 1 },
      { day, operationId: 'getPet', calls: 3 },
    ]);
    const [zoe] = await storage.database.read.apiKeys.list(undefined, 1);
    expect(zoe?.lastUsedAt).toBe(NOON + 9);
  });
});
