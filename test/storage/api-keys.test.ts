import { describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { autocommit } from './autocommit.ts';
import { newKey } from './new-key.ts';

const CREATED_AT = Date.parse('2027-01-01T00:00:00Z');
const EXPIRES_AT = CREATED_AT + 86_400_000;

describe.each(ENGINES)('API keys in $name', ({ open }) => {
  const storage = useEach(open);
  const keys = () => autocommit(storage.database).apiKeys;

  test('are found by hash and by id, without the hash', async () => {
    const { hash, ...fields } = newKey('one', { scopes: [...SCOPES], expiresAt: EXPIRES_AT });
    const created = await keys().create({ hash, ...fields });
    expect(created).toStrictEqual({
      id: created.id,
      ...fields,
      grantedUntil: EXPIRES_AT,
      revokedAt: null,
      rotatedUntil: null,
    });
    expect(await keys().findByHash(hash)).toStrictEqual(created);
    expect(await keys().findById(created.id)).toStrictEqual(created);
  });

  test('cannot share a hash', async () => {
    const first = await keys().create(newKey('one'));
    await expect(keys().create(newKey('one', { name: 'other' }))).rejects.toThrow();
    await keys().create(newKey('two'));
    expect(await keys().findByHash(hashKey('one'))).toStrictEqual(first);
    expect(await keys().list()).toHaveLength(2);
  });

  test('are listed in ascending order of id, with the time of last use', async () => {
    const first = await keys().create(newKey('one'));
    const second = await keys().create(newKey('two'));
    const third = await keys().create(newKey('three'));
    await keys().revoke(third.id, CREATED_AT + 5);
    await autocommit(storage.database).usage.add([
      { keyId: second.id, operationId: 'listPets', calls: 2, lastCalledAt: CREATED_AT + 20 },
      { keyId: second.id, operationId: 'getPet', calls: 1, lastCalledAt: CREATED_AT + 10 },
    ]);
    expect(await keys().list()).toStrictEqual([
      { ...first, lastUsedAt: null },
      { ...second, lastUsedAt: CREATED_AT + 20 },
      { ...third, revokedAt: CREATED_AT + 5, lastUsedAt: null },
    ]);
  });

  describe('the first key', () => {
    test.each(['usable', 'revoked'])(
      'is not created if there is a key that is %s',
      async (state) => {
        const { id } = await keys().create(newKey('one'));
        if (state === 'revoked') await keys().revoke(id, CREATED_AT);
        expect(await keys().createFirst(newKey('two'))).toBeUndefined();
        expect((await keys().list()).map((key) => key.id)).toEqual([id]);
      },
    );

    test('is created once by 20 simultaneous callers', async () => {
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, index) => keys().createFirst(newKey(`key ${index}`))),
      );
      const first = created.filter((key) => key !== undefined);
      expect(first).toHaveLength(1);
      expect((await keys().list()).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    });
  });

  test('expire at the earliest time given, and keep the time granted at creation', async () => {
    const { id } = await keys().create(newKey('one', { expiresAt: EXPIRES_AT }));
    const expiry = async () => (await keys().findById(id))?.expiresAt;
    for (const [time, expected] of [
      [EXPIRES_AT + 5, EXPIRES_AT],
      [EXPIRES_AT - 5, EXPIRES_AT - 5],
      [EXPIRES_AT - 2, EXPIRES_AT - 5],
    ] as const) {
      await storage.database.write(BY_TEST, ({ apiKeys }) => apiKeys.endBy(id, time));
      expect(await expiry()).toBe(expected);
    }
    expect((await keys().findById(id))?.grantedUntil).toBe(EXPIRES_AT);
  });

  test('the next expiry leaves out keys that are expired, revoked or rotated, or never expire', async () => {
    const next = (now = CREATED_AT) => storage.database.read.apiKeys.nextExpiry(now);
    const create = (days: number) =>
      keys().create(newKey(`${days}`, { expiresAt: CREATED_AT + days * 86_400_000 }));
    await keys().create(newKey('one'));
    expect(await next()).toBeUndefined();
    const revoked = await create(1);
    await keys().revoke(revoked.id, CREATED_AT);
    const rotated = await create(2);
    await storage.database.write(BY_TEST, ({ apiKeys }) =>
      apiKeys.endBy(rotated.id, CREATED_AT + 5),
    );
    const { expiresAt } = await create(4);
    const { expiresAt: earlier } = await create(3);
    expect(await next()).toBe(earlier as number);
    expect(await next(earlier as number)).toBe(expiresAt as number);
    expect(await next(expiresAt as number)).toBeUndefined();
  });

  test('are listed up to a count after an id, and revoked one by one and once', async () => {
    const ids: number[] = [];
    for (const name of ['one', 'two', 'three']) ids.push((await keys().create(newKey(name))).id);
    const [first = 0] = ids;
    for (const time of [CREATED_AT + 7, CREATED_AT + 8]) await keys().revoke(first, time);
    const listed = async (afterId: number | undefined) =>
      (await keys().list(afterId, 2)).map(({ id, revokedAt }) => [id, revokedAt]);
    expect(await listed(undefined)).toEqual([
      [first, CREATED_AT + 7],
      [ids[1] ?? 0, null],
    ]);
    expect(await listed(first)).toEqual(ids.slice(1).map((id) => [id, null]));
  });
});
