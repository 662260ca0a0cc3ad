import { type Steps, wait } from '../steps.ts';
import { countByCategory, STATUSES } from './category-counts.ts';
import type { Fault } from './maintenance.ts';
import { IS_OPEN } from './order-conditions.ts';
import type { CellRow } from './rows.ts';
import type { Spelling, Sql } from './sql.ts';

/** What must hold for the rows of both engines, beyond what the schema guarantees. */
interface Invariant {
  /** Selects the rows that contradict it. */
  readonly sql: string;
  readonly describe: (row: CellRow) => string;
}

/** At most this many faults of one kind are listed. */
export const MAX_FAULTS = 100;

/** The range of times in JavaScript, in milliseconds since 1970-01-01T00:00:00Z. */
const MAX_TIME = 8_640_000_000_000_000;

const impossibleTime = (columns: readonly string[]): string =>
  columns.map((column) => `${column} NOT BETWEEN -${MAX_TIME} AND ${MAX_TIME}`).join(' OR ');

/** The ids of a table are used up. */
export const idsUsedUp = (table: string): string =>
  `the ids of ${table} are used up, so nothing can be added`;

const WEBHOOK_TABLES = ['webhook_endpoints', 'webhook_secrets', 'webhook_deliveries'];

/** @param version of the schema. */
const invariants = ({ table, highestId }: Spelling, version: number): readonly Invariant[] => [
  {
    sql: `SELECT orders.id, orders.status, pet_id, pets.id AS found, pets.status AS pet_status FROM ${table('orders')}
      LEFT JOIN ${table('pets')} ON pets.id = orders.pet_id
      WHERE orders.${IS_OPEN} AND (pets.status IS NULL OR pets.status <> 'pending') ORDER BY orders.id`,
    describe: ([id, status, petId, found, petStatus]) =>
      found === null
        ? `order ${id} is ${status}, but its animal ${petId} does not exist`
        : `order ${id} is ${status}, but its animal ${petId} ${petStatus === null ? 'has no status' : `is ${petStatus}`}, not pending`,
  },
  {
    sql: `SELECT pet_id, count(*) FROM ${table('orders')} WHERE ${IS_OPEN} GROUP BY pet_id HAVING count(*) > 1 ORDER BY pet_id`,
    describe: ([petId, count]) => `animal ${petId} has ${count} open orders`,
  },
  {
    sql: `SELECT id, pet_id FROM ${table('orders')} WHERE pet_id < 1 OR pet_id > ${highestId('pets')} ORDER BY id`,
    describe: ([id, petId]) => `order ${id} is for animal ${petId}, an id that was never assigned`,
  },
  {
    sql: `SELECT id, status, ended_at FROM ${table('orders')} WHERE (${IS_OPEN}) = (ended_at IS NOT NULL) ORDER BY id`,
    describe: ([id, status, endedAt]) =>
      endedAt === null
        ? `order ${id} is ${status}, but the time of its end is missing`
        : `order ${id} is ${status}, but has the time of an end`,
  },
  {
    sql: `SELECT id FROM ${table('orders')} WHERE status = 'placed' AND expires_at IS NULL ORDER BY id`,
    describe: ([id]) => `order ${id} is placed, but never expires`,
  },
  ...['pets', 'orders', 'api_keys', 'events', ...(version < 103 ? [] : WEBHOOK_TABLES)].map(
    (name) => ({
      sql: `SELECT id, ${highestId(name)} FROM ${table(name)} WHERE id < 1 OR id > ${highestId(name)} ORDER BY id`,
      describe: ([id, highest]: CellRow) =>
        `the id ${id} in ${name} is outside of the assigned ids 1 to ${highest}`,
    }),
  ),
  ...[
    {
      name: 'orders',
      columns: ['created_at', 'expires_at', 'ended_at', ...(version < 102 ? [] : ['delivered_at'])],
    },
    { name: 'api_keys', columns: ['created_at', 'expires_at', 'revoked_at', 'rotated_until'] },
    { name: 'events', columns: ['at'] },
    { name: 'operation_usage', columns: ['last_called_at'], id: 'key_id' },
    { name: 'daily_usage', columns: ['86400000.0 * day'], id: 'day' },
    { name: 'idempotency_records', columns: ['saved_at'], id: 'key_id' },
    ...(version < 103
      ? []
      : [
          { name: 'webhook_endpoints', columns: ['created_at', 'failing_since'] },
          { name: 'webhook_secrets', columns: ['created_at', 'expires_at'] },
          { name: 'webhook_deliveries', columns: ['next_at', 'claimed_until', 'attempted_at'] },
        ]),
  ].map(({ name, columns, id = 'id' }) => ({
    sql: `SELECT DISTINCT ${id} FROM ${table(name)} WHERE ${impossibleTime(columns)} ORDER BY ${id}`,
    describe: ([row]: CellRow) => `row ${row} of ${name} contains an impossible time`,
  })),
  {
    // The nonce and the tag of the encryption.
    sql: `SELECT DISTINCT key_id FROM ${table('idempotency_records')} WHERE length(response) < 28 ORDER BY key_id`,
    describe: ([keyId]) => `a kept response for API key ${keyId} is too short to be read`,
  },
  {
    sql: `SELECT deleted_to, ${highestId('events')} FROM ${table('event_feed')} WHERE deleted_to < 0 OR deleted_to > ${highestId('events')}`,
    describe: ([deletedTo, highest]) =>
      `event_feed says that the events up to ${deletedTo} are deleted, but the highest one was ${highest}`,
  },
  {
    sql: `SELECT count(*) FROM ${table('event_feed')} HAVING count(*) <> 1`,
    describe: ([count]) => `event_feed has ${count} rows, not one`,
  },
];

/** Finds the rows that contradict an invariant. @param version of the schema. */
export function* findWrongRows(sql: Sql, version: number, faults: Fault[]): Steps<void> {
  for (const { sql: select, describe } of invariants(sql.spelling, version)) {
    const rows = yield* wait(sql.cells(`${select} LIMIT ${MAX_FAULTS + 1}`));
    faults.push(...toFaults('rows', rows.map(describe)));
  }
}

/** The faults for these messages, at most `MAX_FAULTS` and one more line. */
export function toFaults(kind: Fault['kind'], messages: readonly string[]): Fault[] {
  const faults = messages.slice(0, MAX_FAULTS).map((message): Fault => ({ kind, message }));
  if (messages.length > MAX_FAULTS)
    faults.push({ kind, message: 'there are more faults of the previous kind' });
  return faults;
}

/**
 * Selects the categories whose stored counts are wrong, at most one more than are listed: the id, then the real and the
 * stored number of each status. One without a row has zeros.
 */
const wrongCounts = ({ table }: Spelling): string => `
  SELECT category_id, ${STATUSES.map((status) => `sum(real_${status}) AS real_${status}, sum(stored_${status}) AS stored_${status}`).join(', ')}
  FROM (
    SELECT category_id, ${STATUSES.map((status) => `${status} AS real_${status}, 0 AS stored_${status}`).join(', ')}
    FROM (${countByCategory(table('pets'))}) AS pets
    UNION ALL
    SELECT category_id, ${STATUSES.map((status) => `0, ${status}`).join(', ')} FROM ${table('category_counts')}
  ) AS counts
  GROUP BY category_id
  HAVING ${STATUSES.map((status) => `sum(real_${status}) <> sum(stored_${status})`).join(' OR ')}
  ORDER BY category_id LIMIT ${MAX_FAULTS + 1}`;

export function* findWrongCounts(sql: Sql, faults: Fault[]): Steps<void> {
  const rows = yield* wait(sql.cells(wrongCounts(sql.spelling)));
  const messages = rows.flatMap(([id, ...counts]) =>
    STATUSES.flatMap((status, index) => {
      const [actual, found] = counts.slice(2 * index).map(String);
      if (actual === found) return [];
      return [
        `category_counts has ${found} animals of category ${id} with the status ${status}, but there are ${actual}`,
      ];
    }),
  );
  faults.push(...toFaults('counts', messages));
}
