import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { IssuedKey } from '../../src/api-keys/keyring.ts';
import { PARTS } from '../../src/storage/tables.ts';
import type { CatalogueSource } from '../../src/transfer/catalogue-copy.ts';
import { int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { useShared } from '../support/use-each.ts';
import { rex } from './animals.ts';
import { copy, PAIRS, storageOpener } from './copying.ts';
import { fillCatalogue, HIGHEST_ID, noonKeyring, readEverything } from './full-catalogue.ts';

const open = storageOpener();

describe.each(PAIRS)('a copy from %s to %s', (_from, _to, engines) => {
  const source = useShared(() => engines.from.open());
  let issued: IssuedKey;
  beforeAll(async () => {
    issued = await fillCatalogue(source.database);
  });

  let target: TestStorage;
  beforeEach(async () => {
    target = await open(engines.to);
  });

  test('has equal contents, a repeated one changes nothing, and one back has the same checksums', async () => {
    const all = await readEverything(source.database);
    expect(
      Object.values(all).map((part) => part !== undefined && 'length' in part && part.length),
    ).not.toContain(0);
    const { isNew, digest } = await copy(source, target.database);
    expect([isNew, ...digest.keys()]).toEqual([true, ...PARTS]);
    expect(await readEverything(target.database)).toStrictEqual(all);
    expect(await copy(source, target.database)).toEqual({ isNew: false, digest });
    const back = await open(engines.from);
    expect(await copy(target, back.database)).toEqual({ isNew: true, digest });
    for (const { database } of [source, target, back])
      expect(await readEverything(database)).toStrictEqual(all);
  });

  test('accepts the same API keys, assigns no id twice, and counts later additions', async () => {
    const { secret, key } = issued;
    await copy(source, target.database);
    const { read, write } = target.database;
    expect(await noonKeyring.verify(read.apiKeys, secret)).toMatchObject({ keyId: key.id });
    const { unset } = await read.pets.inventory();
    const { id } = await write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(id).toBe(int64(HIGHEST_ID + 1n));
    expect(await read.pets.inventory()).toMatchObject({ unset: unset + 1 });
    const created = await write(BY_TEST, ({ apiKeys }) =>
      noonKeyring.create(apiKeys, { name: 'k', scopes: [], expiresAt: null }),
    );
    expect(created.key.id).toBe(6);
  });

  test('of an empty catalogue is empty, also after an empty import', async () => {
    const empty = await open(engines.from);
    for (const { database } of [target, await open(engines.to)]) {
      const { isNew, digest } = await copy(empty, database);
      expect(isNew).toBe(true);
      expect([...digest.values()].map(({ rows }) => rows)).toEqual(PARTS.map(() => 0));
      expect((await database.write(BY_TEST, ({ pets }) => pets.create(rex()))).id).toBe(1);
      expect(await importPets(empty.database, [])).toBe(0);
    }
  });

  test('fails at its end if the source is in use then, whether the target is empty or the same', async () => {
    const empty = await readEverything(target.database);
    const used = (from: CatalogueSource) =>
      Object.assign(from, { requireUnused: () => Promise.reject(new RangeError('in use')) });
    await expect(copy(source, target.database, { source: used })).rejects.toThrow('in use');
    expect(await readEverything(target.database)).toStrictEqual(empty);
    await copy(source, target.database);
    await expect(copy(source, target.database, { source: used })).rejects.toThrow('in use');
  });

  test('refuses a source that is in use, which continues', async () => {
    const { database } = await open(engines.from);
    const add = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    await add();
    await expect((async () => database.transfer.openSource())()).rejects.toThrow(
      / is in use.*: stop the service and everything else that has it open\.$/,
    );
    expect((await add()).name).toBe('Rex');
  });
});
