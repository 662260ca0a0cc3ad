/** Readers of the feed get each event once, and the events of one animal in the order of its changes. */
import { expect, test } from 'bun:test';
import type { ListedEvent } from '../../src/events/event-store.ts';
import type { Int64 } from '../../src/int64.ts';
import { chain } from '../../src/maybe-promise.ts';
import type { Pet } from '../../src/pets/pet.ts';
import type { Database } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { rex } from './animals.ts';

const ANIMALS = 5;
const WRITERS = 8;
const CHANGES = 12;

/** Follows the feed in small pages until it has as many events. */
async function follow({ read }: Database, count: number): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  while (events.length < count) {
    await read.events.feed();
    const after: Int64 | undefined = events.at(-1)?.id;
    const query = { filters: {}, sort: 'id' } as const;
    events.push(...(await read.events.list(query, after, 7, true)));
    await Bun.sleep(0);
  }
  return events;
}

test.each(ENGINES)('while several writers change the same animals in $name', async ({ open }) => {
  const storage = await open();
  const { database } = storage;
  for (let id = 1; id <= ANIMALS; id += 1)
    await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'step 0' })));
  const readers = [1, 2, 3].map(() => follow(database, ANIMALS + WRITERS * CHANGES));
  /** Changes the name of an animal to the next number, so each change depends on the one before. */
  const change = (id: number) =>
    database.write(BY_TEST, ({ pets }) =>
      chain(pets.get(id), (pet) => {
        const { name, ...others } = pet as Pet;
        return pets.replace({ ...others, name: `step ${Number(name.slice(5)) + 1}` } as Pet);
      }),
    );
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let step = 0; step < CHANGES; step += 1) await change(1 + ((writer + step) % ANIMALS));
    }),
  );
  const [first = [], ...others] = await Promise.all(readers);
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(first.map(({ id }) => id)).size).toBe(ANIMALS + WRITERS * CHANGES);
  for (let id = 1; id <= ANIMALS; id += 1) {
    const names = first
      .filter(({ subject }) => subject === `pets/${id}`)
      .map(({ content }) => (JSON.parse(content) as { data: Pet }).data.name);
    expect(names).toEqual(names.map((_name, step) => `step ${step}`));
  }
  await storage.remove();
});
