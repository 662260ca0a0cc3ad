/** A reader of the feed misses no event, although transactions commit in another order than they add events. */
import { beforeAll, expect, test } from 'bun:test';
import type { Int64 } from '../../../src/int64.ts';
import type { Database } from '../../../src/storage/database.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { WHAT, what } from '../../support/stored-events.ts';
import { rex } from '../animals.ts';
import { useScratch } from './scratch.ts';

const scratch = useScratch();
let database: Database;
beforeAll(async () => {
  database = await scratch.openShared();
});

const INSERT = `INSERT INTO animal_store.outbox (${WHAT}, at, content)`;

const ALL = { filters: {}, sort: 'id' } as const;

/** The subjects of the events after a position, and the last position. */
async function readAfter(after: Int64 | undefined) {
  await database.read.events.feed();
  const events = await database.read.events.list(ALL, after, 1_000, true);
  return { subjects: events.map(({ subject }) => subject), last: events.at(-1)?.id ?? after };
}

const addRex = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));

test('an event of a transaction that commits later gets a later position', async () => {
  const commit = await scratch.hold(`${INSERT} VALUES (${what('pet.updated', 99)}, 1, '{}')`);
  await addRex();
  const first = await readAfter(undefined);
  expect(first.subjects).toEqual(['pets/1']);
  await commit();
  await addRex();
  expect((await readAfter(first.last)).subjects).toEqual(['pets/99', 'pets/2']);
});

test('a background job moves events, unless it fails or another one does', async () => {
  await addRex();
  await scratch.sql`ALTER TABLE animal_store.events ADD CONSTRAINT never CHECK (false) NOT VALID`;
  await expect(Promise.resolve(database.sequenceEvents())).rejects.toThrow('never');
  await scratch.sql`ALTER TABLE animal_store.events DROP CONSTRAINT never`;
  const commit = await scratch.hold('SELECT 1 FROM animal_store.event_feed FOR UPDATE');
  expect(await database.sequenceEvents()).toBe(false);
  expect(await scratch.sql`SELECT resource_id FROM animal_store.outbox`).toHaveLength(1);
  const reading = readAfter(undefined);
  await until(async () => (await scratch.backends('Lock')).length > 0);
  await commit();
  expect((await reading).subjects).toEqual(['pets/1']);
  await addRex();
  await database.sequenceEvents();
  expect(await scratch.sql`SELECT resource_id FROM animal_store.outbox`).toHaveLength(0);
  expect(await scratch.sql`SELECT resource_id FROM animal_store.events ORDER BY id`).toEqual([
    { resource_id: '1' },
    { resource_id: '2' },
  ] as never);
});

test('many events are moved in several transactions', async () => {
  await scratch.sql.unsafe(
    `${INSERT} SELECT ${what('pet.updated', 'number')}, 1, '{}' FROM generate_series(1, 2500) AS number`,
  );
  expect(await database.sequenceEvents()).toBe(true);
  expect((await database.read.events.feed()).newest).toBe(2_500);
  const subjects = (await database.read.events.list(ALL, 2_000, 1_000, true)).map(
    ({ subject }) => subject,
  );
  expect(subjects).toEqual(Array.from({ length: 500 }, (_, index) => `pets/${index + 2_001}`));
});

// Otherwise the slower one could set back the position up to which events are deleted, and a gap would be silent.
test('an instance that deletes events waits for another one, and goes on after what that has deleted', async () => {
  await scratch.sql.unsafe(`INSERT INTO animal_store.events (${WHAT}, at, content)
    SELECT ${what('pet.updated', 1)}, 1, '{}' FROM generate_series(1, 9)`);
  const commit = await scratch.hold(`SELECT 1 FROM animal_store.event_feed FOR UPDATE;
    DELETE FROM animal_store.events WHERE id <= 5; UPDATE animal_store.event_feed SET deleted_to = 5`);
  const deleting = database.write(BY_TEST, ({ events }) => events.deleteBefore(2, 2));
  await until(async () => (await scratch.backends('Lock')).length > 0);
  await commit();
  expect(await deleting).toBe(2);
  expect(await database.read.events.feed()).toMatchObject({ deletedTo: 7, oldest: 8 });
});
