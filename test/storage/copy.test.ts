import { beforeEach, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/storage/tables.ts';
import type { CatalogueSource } from '../../src/transfer/catalogue-copy.ts';
import { int64 } from '../support/arbitraries.ts';
import { importPets } from '../support/catalogue.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { rex } from './animals.ts';
import { copy, storageOpener } from './copying.ts';
import { fillCatalogue, HIGHEST_ID, noonKeyring, readEverything } from './full-catalogue.ts';

const open = storageOpener();

const PAIRS = ENGINES.flatMap((from) =>
  ENGINES.map((to) => [from.name, to.name, { from, to }] as const),
);

describe.each(PAIRS)('a copy from %s to %s', (_from, _to, engines) => {
  let source: TestStorage;
  let target: TestStorage;
  beforeEach(async () => {
    source = await open(engines.from);
    target = await open(engines.to);
  });

  test('has equal contents, also after reopening', async () => {
    await fillCatalogue(source.database);
    const all = await readEverything(source.database);
    expect(
      Object.values(all).map((part) => part !== undefined && 'length' in part && part.length),
    ).not.toContain(0);
    const { isNew } = await copy(source, target.database);
    expect(isNew).toBe(true);
    expect(await readEverything(target.database)).toStrictEqual(all);
    await target.reopen();
    expect(await readEverything(target.database)).toStrictEqual(all);
    expect(await readEverything(source.database)).toStrictEqual(all);
  });

  test('accepts the same API keys and assigns no id twice', async () => {
    const { secret, key } = await fillCatalogue(source.database);
    await copy(source, target.database);
    const { read, write } = target.database;
    expect(await noonKeyring.verify(read.apiKeys, secret)).toMatchObject({ keyId: key.id });
    const { id } = await write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(id).toBe(int64(HIGHEST_ID + 1n));
    const created = await write(BY_TEST, ({ apiKeys }) =>
      noonKeyring.create(apiKeys, { name: 'k', scopes: [], expiresAt: null }),
    );
    expect(created.key.id).toBe(6);
  });

  test('and back has the same checksums', async () => {
    await fillCatalogue(source.database);
    const { digest } = await copy(source, target.database);
    const back = await open(engines.from);
    expect(await copy(target, back.database)).toEqual({ isNew: true, digest });
    expect([...digest.keys()]).toEqual([...PARTS]);
  });

  test('that exists already is reported and not changed', async () => {
    await fillCatalogue(source.database);
    const { digest } = await copy(source, target.database);
    expect(await copy(source, target.database)).toEqual({ isNew: false, digest });
    expect(await readEverything(target.database)).toStrictEqual(
      await readEverything(source.database),
    );
  });

  test('of a catalogue after an empty import is empty', async () => {
    expect(await importPets(source.database, [])).toBe(0);
    expect((await copy(source, target.database)).isNew).toBe(true);
    expect((await target.database.write(BY_TEST, ({ pets }) => pets.create(rex()))).id).toBe(1);
  });

  test('of an empty catalogue is empty', async () => {
    const { isNew, digest } = await copy(source, target.database);
    expect(isNew).toBe(true);
    expect([...digest.values()].map(({ rows }) => rows)).toEqual(PARTS.map(() => 0));
    expect((await target.database.write(BY_TEST, ({ pets }) => pets.create(rex()))).id).toBe(1);
  });

  test('fails at its end if the source is in use then, whether the target is empty or the same', async () => {
    await fillCatalogue(source.database);
    const empty = await readEverything(target.database);
    const used = (from: CatalogueSource) =>
      Object.assign(from, { requireUnused: () => Promise.reject(new RangeError('in use')) });
    await expect(copy(source, target.database, { source: used })).rejects.toThrow('in use');
    expect(await readEverything(target.database)).toStrictEqual(empty);
    await copy(source, target.database);
    await expect(copy(source, target.database, { source: used })).rejects.toThrow('in use');
  });

  test('refuses a source that is in use, which continues', async () => {
    await fillCatalogue(source.database);
    await expect((async () => source.database.transfer.openSource())()).rejects.toThrow(
      / is in use.*: stop the service and everything else that has it open\.$/,
    );
    expect((await source.database.write(BY_TEST, ({ pets }) => pets.create(rex()))).name).toBe(
      'Rex',
    );
  });
});
