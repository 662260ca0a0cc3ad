/** A page of events reads few buffers, for any filters, and the feed is read fast even if many events were deleted just before. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { EventFilters } from '../../../src/events/event-filters.ts';
import { SORTS } from '../../../src/http/contract/list-query.ts';
import { PostgresSql } from '../../../src/storage/postgres/statements/postgres-sql.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';
import { StoredEvents } from '../../../src/storage/stores/event-store.ts';
import { BY_TEST } from '../../support/cause.ts';
import { WHAT, what } from '../../support/stored-events.ts';
import { useShared } from '../../support/use-each.ts';
import { buffersOf, plansOf } from './query-plan.ts';
import { openMigratedScratch } from './scratch.ts';

const EVENTS = 30_000;

const scratch = useShared(openMigratedScratch);
beforeAll(async () => {
  // A vacuum in between would remove what the last test measures.
  await scratch.sql.unsafe(`
    ALTER TABLE animal_store.events SET (autovacuum_enabled = off);
    INSERT INTO animal_store.events (${WHAT}, at, key_id, content)
      SELECT ${what('pet.updated', 'g % 1000')}, g, 1, '{}' FROM generate_series(1, ${EVENTS}) AS g;
    UPDATE animal_store.events SET (${WHAT}) = (${what('pet.deleted', 'resource_id')}) WHERE id = 20000;
    ANALYZE animal_store.events`);
});

const reader = (run: Run) => new StoredEvents(new PostgresSql(run));

const FILTERS: readonly EventFilters[] = [
  {},
  { type: ['pet.updated'] },
  { type: ['pet.deleted'] },
  { type: ['api_key.created'] },
  { type: ['pet.deleted', 'pet.updated'] },
  { subject: 'pets/7' },
  { subject: 'pets/7', type: ['pet.deleted'] },
  { subject: 'pets' },
];

/** For 21 rows of each of two types, each in another buffer, with the names of their keys, and the index pages. */
const MAX_BUFFERS = 140;

/** Shows the plan if it fails. */
const expectFewBuffers = (plan: string, most: number) =>
  expect(buffersOf(plan) <= most ? '' : plan).toBe('');

describe.each(SORTS)('in the order %s,', (sort) => {
  test.each(FILTERS)('a page with %j', async (filters) => {
    for (const withKeys of [true, false])
      for (const after of [undefined, EVENTS / 2]) {
        const read = (run: Run) => reader(run).list({ filters, sort }, after, 21, withKeys);
        for (const plan of await plansOf(scratch.sql, read)) expectFewBuffers(plan, MAX_BUFFERS);
      }
  });
});

test('the feed, and whether events are too old, after a deletion whose rows a snapshot still sees', async () => {
  const { sql } = scratch;
  const database = await scratch.open();
  const snapshot = await sql.reserve();
  await snapshot`BEGIN ISOLATION LEVEL REPEATABLE READ`;
  await snapshot`SELECT 1 FROM animal_store.events LIMIT 1`;
  const deleted = EVENTS - 5;
  const count = await database.write(BY_TEST, ({ events }) => events.deleteBefore(EVENTS, deleted));
  expect(count).toBe(deleted);
  await database.write(BY_TEST, async ({ events }) => {
    expect(await events.deleteBefore(deleted + 2, 100)).toBe(1);
  });
  expect(await database.read.events.feed()).toMatchObject({ oldest: deleted + 2, newest: EVENTS });
  for (const read of [
    (run: Run) => expect(reader(run).feed()).rejects.toThrow('event_feed is empty'),
    (run: Run) => reader(run).times(),
  ])
    for (const plan of await plansOf(sql, read)) expectFewBuffers(plan, 20);
  await snapshot`ROLLBACK`;
  snapshot.release();
});
