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

  test('are added once by 20 simultaneous callers with the same id, and not by a replacement', async () => {
    await storage.database.write(BY_TEST, ({ categories }) =>
      categories.replace({ id: 2, name: 'Cats' }),
    );
    const tries = Array.from({ length: 20 }, (_, index) => create({ id: 1, name: `${index}` }));
    const settled = await Promise.allSettled(tries);
    const added = settled.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(added).toHaveLength(1);
    expect(await list()).toStrictEqual([{ id: 1, name: `${added[0]}` }]);
  });

  test('are listed in both orders of id, after any id', async () => {
    const ascending = INT64_EDGES.map((edge) => ({ id: int64(edge), name: `${edge}` }));
    for (const category of ascending.toReversed()) await create(category);
    for (const [sort, all] of [
      ['id', ascending],
      ['-id', ascending.toReversed()],
    ] as const) {
      expect(await list(undefined, 100, sort)).toStrictEqual(all);
      expect(await list(undefined, 2, sort)).toStrictEqual(all.slice(0, 2));
      for (const [index, { id }] of all.entries())
        expect(await list(id, 3, sort)).toStrictEqual(all.slice(index + 1, index + 4));
    }
  });
});
