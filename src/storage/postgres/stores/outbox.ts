import type { NewEvent } from '../../../events/event-store.ts';
import { CODES } from '../../event-rows.ts';
import { arraysOf, unnest } from '../statements/arrays.ts';
import type { Run } from '../transactions/transactions.ts';

const COLUMNS = 'type, collection, resource_id, at, key_id, content';
const TYPES = ['integer', 'integer', 'int64', 'integer', 'integer', 'text'] as const;

const APPEND = `INSERT INTO animal_store.outbox (${COLUMNS})
  SELECT ${COLUMNS} FROM ${unnest(TYPES)} WITH ORDINALITY AS added (${COLUMNS}, position) ORDER BY position`;

/** Adds events to the outbox, in their order, in the transaction of their changes. */
export async function appendToOutbox(run: Run, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type: word, resourceId, at, keyId, content }) => {
    const { type, collection } = CODES[word];
    return [type, collection, resourceId, at, keyId, content];
  });
  await run(APPEND, arraysOf(rows, TYPES.length));
}

/** The most events that one transaction moves: about ten milliseconds. */
const MAX_MOVED = 1_000;

/**
 * Moves events into the feed in the order of their ids. Two changes of one resource are in this order: the second transaction
 * waited for the first one, whose events are committed and visible. An event of a transaction that commits later gets a later
 * position, so a reader never passes it.
 */
const MOVE = `WITH next AS MATERIALIZED (SELECT id FROM animal_store.outbox ORDER BY id LIMIT ${MAX_MOVED}),
  moved AS (
    DELETE FROM animal_store.outbox WHERE id = ANY(ARRAY(SELECT id FROM next)) RETURNING *
  ), added AS (
    INSERT INTO animal_store.events (${COLUMNS}) SELECT ${COLUMNS} FROM moved ORDER BY id
  )
  SELECT count(*) AS moved FROM next`;

/**
 * Moves events from the outbox into the feed, one transaction at a time: it locks the one row of the feed. Not by an advisory
 * lock: some databases that are compatible with PostgreSQL accept those and do nothing.
 * @param lock `FOR UPDATE SKIP LOCKED` moves nothing if another transaction does. `FOR UPDATE` waits for it.
 * @returns whether there may be more.
 */
export async function sequence(
  run: Run,
  lock: 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED',
): Promise<boolean> {
  const locked = await run(`SELECT 1 FROM animal_store.event_feed ${lock}`);
  if (locked.length === 0) return false;
  const [row] = await run<{ moved: number }>(MOVE);
  return row?.moved === MAX_MOVED;
}

/** Whether committed events are not in the feed yet. */
export async function hasUnsequenced(run: Run): Promise<boolean> {
  return (await run('SELECT 1 FROM animal_store.outbox LIMIT 1')).length > 0;
}
