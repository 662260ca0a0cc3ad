import { describe, expect, test } from 'bun:test';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';
import { autocommit } from './autocommit.ts';
import { newKey } from './new-key.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const DAY_MS = 86_400_000;
const TODAY = Math.floor(NOON / DAY_MS);

describe.each(ENGINES)('usage in $name', ({ open }) => {
  const storage = useEach(open);
  const usage = () => autocommit(storage.database).usage;
  const issue = async (name: string) =>
    (await autocommit(storage.database).apiKeys.create(newKey(name))).id;
  const called = (keyId: number, operationId: string, calls = 1, lastCalledAt = NOON) => ({
    keyId,
    operationId,
    calls,
    lastCalledAt,
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
    expect(await usage().listDays(0)).toEqual([]);
  });

  test('of the latest keys of each operation has the totals of all its keys', async () => {
    const [first, second, third] = [await issue('zoe'), await issue('adam'), await issue('eve')];
    await usage().add([
      called(first, 'getPet', 1, NOON),
      called(second, 'getPet', 2, NOON + 5),
      called(third, 'getPet', 4, NOON + 5),
      called(first, 'ListPets', 8, NOON + 9),
    ]);
    const totals = { totalCalls: 7, keyCount: 3 };
    const [zoe, adam, eve] = [
      { ...called(first, 'getPet', 1, NOON), keyName: 'zoe', ...totals },
      { ...called(second, 'getPet', 2, NOON + 5), keyName: 'adam', ...totals },
      { ...called(third, 'getPet', 4, NOON + 5), keyName: 'eve', ...totals },
    ];
    const other = {
      ...called(first, 'ListPets', 8, NOON + 9),
      keyName: 'zoe',
      totalCalls: 8,
      keyCount: 1,
    };
    expect(await usage().listLatest(10)).toStrictEqual([other, adam, eve, zoe]);
    expect(await usage().listLatest(2)).toStrictEqual([other, adam, eve]);
  });

  test('per day is the sum of all keys, by operation, then by day in UTC', async () => {
    const [one, other] = [await issue('one'), await issue('other')];
    const midnight = TODAY * DAY_MS;
    await usage().add([
      called(one, 'listPets', 1, midnight),
      called(other, 'listPets', 2, midnight + DAY_MS - 1),
      called(one, 'listPets', 4, midnight + DAY_MS),
      called(one, 'createPet', 8, midnight - 1),
    ]);
    await usage().add([called(other, 'listPets', 16, midnight + 1)]);
    const days = [
      { day: TODAY - 1, operationId: 'createPet', calls: 8 },
      { day: TODAY, operationId: 'listPets', calls: 19 },
      { day: TODAY + 1, operationId: 'listPets', calls: 4 },
    ];
    expect(await usage().listDays(0)).toStrictEqual(days);
    expect(await usage().listDays(TODAY)).toStrictEqual(days.slice(1));
    expect(await usage().listDays(TODAY + 2)).toEqual([]);
  });

  test('counts every call of 50 simultaneous writers, per key and per day', async () => {
    const key = await issue('key');
    await Promise.all(
      Array.from({ length: 50 }, (_writer, index) =>
        usage().add([called(key, index % 2 ? 'listPets' : 'getPet', 2)]),
      ),
    );
    for (const listed of [await usage().list(), await usage().listDays(0)])
      expect(listed.map(({ calls }) => calls)).toEqual([50, 50]);
  });

  test('per day is deleted before a day, and the calls of each key stay', async () => {
    const key = await issue('key');
    for (const days of [0, 1, 2]) {
      await usage().add([called(key, 'listPets', 1, NOON + days * DAY_MS)]);
    }
    await storage.database.write(BY_TEST, (stores) => stores.usage.deleteDaysBefore(TODAY + 1));
    expect((await usage().listDays(0)).map(({ day }) => day)).toEqual([TODAY + 1, TODAY + 2]);
    expect((await usage().list())[0]?.calls).toBe(3);
  });
});
