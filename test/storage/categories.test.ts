import { expect, test } from 'bun:test';
import type { Category } from '../../src/categories/category.ts';
import { INT64_EDGES, int64 } from '../support/arbitraries.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { rex } from './animals.ts';
import { storageOpener } from './copying.ts';

const open = storageOpener();

test.each(ENGINES)(
  'in $name, categories are put with exact ids and names, and the last name of an id remains',
  async (engine) => {
    const { read, write } = (await open(engine)).database;
    const put = (all: readonly Category[]) =>
      write(BY_TEST, ({ categories }) => categories.putAll(all));
    const named = (name: string) => INT64_EDGES.map((edge) => ({ id: int64(edge), name }));
    await put(named('first'));
    await put([...named('replaced'), ...named(`"Dogs", {'🐕'} \\`)]);
    const stored = await read.categories.list(EVERY, undefined, 100);
    expect(stored).toStrictEqual(named(`"Dogs", {'🐕'} \\`));
  },
);

test.each(ENGINES)(
  'in $name, a change after a thousand categories that are known is stored',
  async (engine) => {
    const { read, write } = (await open(engine)).database;
    for (const last of ['Cats', 'Birds']) {
      const all = Array.from({ length: 1_001 }, (_, id) => ({
        id,
        name: id < 1_000 ? 'Dogs' : last,
      }));
      await write(BY_TEST, ({ categories }) => categories.putAll(all));
    }
    expect(await read.categories.list(EVERY, 999, 10)).toEqual([{ id: 1_000, name: 'Birds' }]);
  },
);

test.each(ENGINES)('in $name, an animal uses its category alone', async (engine) => {
  const { write } = (await open(engine)).database;
  // Those that are equal as rounded numbers are next to each other.
  for (const id of INT64_EDGES.map(int64)) {
    const isInUse = () => write(BY_TEST, ({ categories }) => categories.isInUse(id));
    expect([id, await isInUse()]).toEqual([id, false]);
    await write(BY_TEST, ({ pets }) => pets.create(rex({ categoryId: id })));
    expect(await isInUse()).toBe(true);
  }
});
