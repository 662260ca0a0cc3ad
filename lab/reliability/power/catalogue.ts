import { SQLiteError, Database as Sqlite } from 'bun:sqlite';
import { toIso } from '../../../src/clock.ts';
import { type EventRow, wordsOf } from '../../../src/storage/event-rows.ts';
import { selectListOf } from '../../../src/storage/rows.ts';
import { EVENTS } from '../../../src/storage/tables.ts';
import { type State, textOf } from './history.ts';

type Row = Readonly<Record<string, unknown>>;
type Fields = NonNullable<State>;

/** What a database file contains. */
interface Catalogue {
  /** The resources as clients know them, by subject. */
  readonly texts: ReadonlyMap<string, string>;
  /** The same text for the same resources and events. */
  readonly fingerprint: string;
  /** Which generation the events have. */
  readonly generation: string;
  /** What contradicts itself. */
  readonly faults: readonly string[];
  /** Changes without an event, and events without a change. An import has one event for all its animals. */
  readonly feedFaults: readonly string[];
}

const UNREADABLE = { texts: new Map<string, string>(), fingerprint: '', generation: '' };

/** Reads a file as any program can, and compares its parts with each other. */
export function readCatalogue(path: string): Catalogue {
  const unreadable = (fault: string) => ({ ...UNREADABLE, faults: [fault], feedFaults: [] });
  const connection = new Sqlite(path, { strict: true, readwrite: true });
  try {
    const rows = (sql: string) => connection.query<Row, []>(sql).all();
    const [{ integrity_check: integrity } = {}] = rows('PRAGMA integrity_check(5)');
    return integrity === 'ok' ? compareParts(rows) : unreadable(`integrity_check: ${integrity}`);
  } catch (error) {
    if (error instanceof SQLiteError) return unreadable(error.message);
    throw error;
  } finally {
    connection.close(true);
  }
}

function compareParts(rows: (sql: string) => Row[]): Catalogue {
  const texts = new Map<string, string>();
  const told = new Map<string, string>();
  for (const { collection, sql, shown, inEvents } of KINDS)
    for (const row of rows(sql)) {
      const subject = `${collection}/${row['id']}`;
      texts.set(subject, textOf(shown(row)));
      if (inEvents) told.set(subject, textOf(inEvents(row)));
    }
  const events = (
    rows(`SELECT ${selectListOf(EVENTS)} FROM events ORDER BY id`) as unknown as EventRow[]
  ).map((row) => ({
    ...row,
    ...wordsOf(row),
  }));
  const [feed] = rows('SELECT generation FROM event_feed');
  return {
    texts,
    fingerprint: JSON.stringify([[...texts].sort(), events]),
    generation: `${feed?.['generation']}`,
    faults: countFaults(rows),
    feedFaults: feedFaults(events, told),
  };
}

/** A kind of resource: its rows, what clients see of one, and what events say of it. */
interface Kind {
  readonly collection: string;
  readonly sql: string;
  readonly shown: (row: Row) => Fields;
  readonly inEvents?: (row: Row) => Fields;
}

/** Without the fields that a row does not have. */
const present = (row: Row): Fields =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

const timesOf = (row: Row, ...fields: string[]): Fields =>
  Object.fromEntries(
    fields
      .filter((field) => row[field] !== null)
      .map((field) => [field, toIso(row[field] as number)]),
  );

/** A schema before the migration has no time of the delivery. */
const orderOf = (stored: Row): Fields => {
  const { id, status, reference, note } = stored;
  const times = {
    createdAt: stored['created_at'],
    expiresAt: stored['expires_at'],
    deliveredAt: stored['delivered_at'] ?? null,
    endedAt: stored['ended_at'],
  } as Row;
  return present({
    ...{ id, petId: stored['pet_id'], status, reference, note },
    ...timesOf(times, ...Object.keys(times)),
  } as Row);
};

const scopesOf = ({ scopes }: Row): string[] => `${scopes}`.split(' ');

const KINDS: readonly Kind[] = [
  {
    collection: 'pets',
    sql: 'SELECT id, name, category_id AS categoryId, status FROM pets',
    shown: present,
    inEvents: present,
  },
  {
    collection: 'categories',
    sql: 'SELECT id, name FROM categories',
    shown: present,
    inEvents: present,
  },
  {
    collection: 'orders',
    sql: 'SELECT * FROM orders',
    shown: orderOf,
    // The texts of clients may name persons.
    inEvents: (row) => orderOf({ ...row, reference: null, note: null }),
  },
  {
    collection: 'api-keys',
    sql: `SELECT id, name, hint, scopes, created_at AS createdAt, revoked_at AS revokedAt,
      min(coalesce(expires_at, rotated_until), coalesce(rotated_until, expires_at)) AS expiresAt FROM api_keys`,
    shown: ({ id, name, hint, revokedAt, ...row }) => ({
      ...{ id, name, hint, scopes: scopesOf(row), isRevoked: revokedAt !== null },
      ...timesOf(row, 'createdAt'),
    }),
    inEvents: ({ id, name, ...row }) => ({
      ...{ id, name, scopes: scopesOf(row) },
      ...timesOf(row, 'createdAt', 'expiresAt', 'revokedAt'),
    }),
  },
  {
    collection: 'answers',
    sql: 'SELECT idempotency_key AS id FROM idempotency_records',
    shown: present,
  },
];

const STATUSES = ['available', 'pending', 'sold', 'unset'];

const COUNTS = STATUSES.map(
  (status) => `count(*) FILTER (WHERE coalesce(status, 'unset') = '${status}') AS ${status}`,
);

/** Compares the inventories with the animals. */
function countFaults(rows: (sql: string) => Row[]): string[] {
  const [counted, found] = [
    `SELECT category_id, ${COUNTS} FROM pets GROUP BY category_id ORDER BY category_id`,
    `SELECT category_id, ${STATUSES} FROM category_counts ORDER BY category_id`,
  ].map((sql) => JSON.stringify(rows(sql)));
  return counted === found ? [] : [`the inventory is ${found}, but the animals are ${counted}`];
}

/** Compares all events, in their order, with the resources: every change has its event, and every event its change. */
function feedFaults(events: readonly Row[], told: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const mirror = new Map<string, Fields>();
  events.forEach(({ id, subject, type, content }, index) => {
    if (id !== index + 1) faults.push(`event ${id} is number ${index + 1}`);
    const { data, previous = {} } = JSON.parse(`${content}`) as { data: Fields; previous?: Fields };
    const before = mirror.get(`${subject}`) ?? {};
    for (const [field, value] of Object.entries(previous))
      if (JSON.stringify(before[field] ?? null) !== JSON.stringify(value))
        faults.push(`event ${id} of ${subject}: ${field} was ${before[field]}, not ${value}`);
    if (`${type}`.endsWith('.deleted')) mirror.delete(`${subject}`);
    else mirror.set(`${subject}`, data);
  });
  for (const [subject, text] of told) {
    const last = mirror.get(subject);
    if (last === undefined) faults.push(`${subject} has no event`);
    else if (textOf(last) !== text)
      faults.push(`${subject} is ${text}, events say ${textOf(last)}`);
  }
  for (const subject of mirror.keys())
    if (subject.includes('/') && !told.has(subject))
      faults.push(`${subject} is missing, events say that it is there`);
  return faults;
}
