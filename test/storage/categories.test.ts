import { describe, expect, test } from 'bun:test';
import type { Category } from '../../src/categories/category.ts';
import type { Sort } from '../../src/http/contract/list-query.ts';
import type { Int64 } from '../../src/int64.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';

describe.each(ENGINES)('categories in $name', ({ open }) => {
  const storage = useEach(open);

  const create = (category: Category) =>
    storage.database.write(BY_TEST, ({ categories }) => categories.create(category));
  const replace = (category: Category) =>
    storage.database.write(BY_TEST, ({ categories }) => categories.replace(category));
  const remove = (id: Int64) =>
    storage.database.write(BY_TEST, ({ categories }) => categories.remove(id));
  const isInUse = (id: Int64) =>
    storage.database.write(BY_TEST, ({ categories }) => categories.isInUse(id));
  const get = async (id: Int64) => storage.database.read.categories.get(id);
  const list = async (afterId?: Int64, count = 100, sort: Sort = 'id') =>
    storage.database.read.categories.list({ filters: {}, sort }, afterId, count);

  test('have exact ids', async () => {
    // Those that are equal as rounded numbers are next to each other.
    for (const id of INT64_EDGES.map(int64)) {
      const category = { id, name: `Category ${id}` };
      expect([id, await get(id), await isInUse(id)]).toEqual([id, undefined, false]);
      await create(category);
      expect(await get(id)).toStrictEqual(category);
      await storage.database.write(BY_TEST, ({ pets }) => pets.create(rex({ categoryId: id })));
      expect(await isInUse(id)).toBe(true);
    }
  });

  test('are put with exact ids and names, and the last name of an id remains', async () => {
    const put = (all: readonly Category[]) =>
      storage.database.write(BY_TEST, ({ categories }) => categories.putAll(all));
    const named = (name: string) => INT64_EDGES.map((edge) => ({ id: int64(edge), name }));
    await put(named('first'));
    await put([...named('replaced'), ...named(`"Dogs", {'🐕'} \\`)]);
    const stored = await list();
    expect(stored).toHaveLength(INT64_EDGES.length);
    expect(new Set(stored)).toEqual(new Set(named(`"Dogs", {'🐕'} \\`)));
  });

  test('are replaced by id', async () => {
    await create({ id: 1, name: 'Dogs' });
    await create({ id: 2, name: 'Cats' });
    await replace({ id: 1, name: '🐕' });
    expect(await list()).toStrictEqual([
      { id: 1, name: '🐕' },
      { id: 2, name: 'Cats' },
    ]);
  });

  test('are not added by replacing an unknown id', async () => {
    await create({ id: 1, name: 'Dogs' });
    await replace({ id: 2, name: 'Cats' });
    expect(await list()).toStrictEqual([{ id: 1, name: 'Dogs' }]);
  });

  test('cannot share an id', async () => {
    await create({ id: 1, name: 'Dogs' });
    await expect(create({ id: 1, name: 'Cats' })).rejects.toThrow();
    expect(await list()).toStrictEqual([{ id: 1, name: 'Dogs' }]);
  });

  test('are added once by 20 simultaneous callers with the same id', async () => {
    const tries = Array.from({ length: 20 }, (_, index) => create({ id: 1, name: `${index}` }));
    const settled = await Promise.allSettled(tries);
    const added = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(added).toHaveLength(1);
    expect(await list()).toStrictEqual([{ id: 1, name: `${added[0]}` }]);
  });

  test.each([
    ['ascending', 'id', INT64_EDGES],
    ['descending', '-id', INT64_EDGES.toReversed()],
  ] as const)('are listed in %s order of id, after any id', async (_order, sort, edges) => {
    const all = edges.map((edge) => ({ id: int64(edge), name: `${edge}` }));
    for (const { id, name } of all.toReversed()) await create({ id, name });
    expect(await list(undefined, 100, sort)).toStrictEqual(all);
    expect(await list(undefined, 2, sort)).toStrictEqual(all.slice(0, 2));
    for (const [index, { id }] of all.entries())
      expect(await list(id, 3, sort)).toStrictEqual(all.slice(index + 1, index + 4));
  });

  test('can be removed and added again', async () => {
    await create({ id: 1, name: 'Dogs' });
    await create({ id: 2, name: 'Cats' });
    await remove(1);
    await remove(99);
    expect(await list()).toStrictEqual([{ id: 2, name: 'Cats' }]);
    expect(await get(1)).toBeUndefined();
    await create({ id: 1, name: 'Birds' });
    expect(await get(1)).toStrictEqual({ id: 1, name: 'Birds' });
  });

  test('are known while they have a record, with or without animals', async () => {
    const isKnown = (id: Int64) =>
      storage.database.write(BY_TEST, ({ categories }) => categories.isKnown(id));
    const [one, next] = [2n ** 53n + 1n, 2n ** 53n + 2n];
    await storage.database.write(BY_TEST, ({ pets }) => pets.create(rex({ categoryId: one })));
    expect([await isKnown(one), await isKnown(next)]).toEqual([false, false]);
    await create({ id: one, name: 'Dogs' });
    expect([await isKnown(one), await isKnown(next)]).toEqual([true, false]);
    await remove(one);
    expect(await isKnown(one)).toBe(false);
  });

  test('are found among ids that are known and unknown', async () => {
    const knownAmong = (ids: readonly Int64[]) =>
      storage.database.write(BY_TEST, ({ categories }) => categories.knownAmong(ids));
    const known = INT64_EDGES.map((edge) => int64(edge));
    for (const id of known) await create({ id, name: `Category ${id}` });
    const others = Array.from({ length: 990 }, (_, index) => 1_000 + index);
    expect(await knownAmong([...others, ...known])).toEqual(new Set(known));
    expect(await knownAmong([others[0] ?? 0])).toEqual(new Set());
    expect(await knownAmong([])).toEqual(new Set());
  });

  test('are in use while they have animals, with or without a record', async () => {
    const { id } = await storage.database.write(BY_TEST, ({ pets }) =>
      pets.create(rex({ categoryId: 5 })),
    );
    expect([await isInUse(5), await isInUse(6)]).toEqual([true, false]);
    await storage.database.write(BY_TEST, ({ pets }) =>
      pets.replace({ id, ...rex({ categoryId: 6 }) }),
    );
    expect([await isInUse(5), await isInUse(6)]).toEqual([false, true]);
    await storage.database.write(BY_TEST, ({ pets }) => pets.remove(id));
    expect(await isInUse(6)).toBe(false);
  });
});
