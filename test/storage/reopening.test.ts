import { describe, expect, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { inOrder, readAll, rex } from './animals.ts';
import { autocommit } from './autocommit.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

describe.each(ENGINES)('$name after reopening', ({ open }) => {
  const storage = useEach(open);

  test('responds to a health check', async () => {
    await storage.database.checkHealth();
    await (await storage.reopen()).checkHealth();
  });

  test('has all animals', async () => {
    await importPets(storage.database, [{ id: 2n ** 60n, name: '🐈', categoryId: -(2n ** 60n) }]);
    await autocommit(storage.database).pets.create(rex({ status: 'sold' }));
    const before = await readAll(storage.database);
    expect(await readAll(await storage.reopen())).toStrictEqual(before);
    expect(before).toHaveLength(2);
  });

  test('has all API keys and their usage', async () => {
    const { apiKeys, usage } = autocommit(storage.database);
    const { id } = await apiKeys.create({
      name: 'till',
      hash: hashKey('till'),
      hint: 'till',
      scopes: ['pets:read', 'pets:write'],
      createdAt: NOON,
      expiresAt: NOON + 1,
    });
    await usage.add([{ keyId: id, operationId: 'getPet', calls: 3, lastCalledAt: NOON }]);
    await apiKeys.revoke(id, NOON);
    const before = [await apiKeys.list(), await usage.list(), await usage.listDays(0)];
    const after = await storage.reopen();
    expect([
      await autocommit(after).apiKeys.list(),
      await autocommit(after).usage.list(),
      await autocommit(after).usage.listDays(0),
    ]).toStrictEqual(before);
  });

  test('has all writes accepted before the close', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `animal ${index}`);
    const { pets } = autocommit(storage.database);
    const created = Promise.all(names.map((name) => pets.create(rex({ name }))));
    const after = await storage.reopen();
    expect(await readAll(after)).toStrictEqual(inOrder(await created));
  });

  test('has no row of an uncommitted import', async () => {
    const uncommitted = await storage.database.transfer.beginImport(BY_TEST);
    await uncommitted.add([rex()]);
    expect(await readAll(await storage.reopen())).toEqual([]);
    uncommitted.abandon();
  });
});
