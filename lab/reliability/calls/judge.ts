import { Database } from 'bun:sqlite';
import { type EventRow, wordsOf } from '../../../src/storage/event-rows.ts';
import { selectListOf } from '../../../src/storage/rows.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { EVENTS } from '../../../src/storage/tables.ts';
import type { Change } from './scenario.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface RecordedEvent {
  readonly type: string;
  readonly subject: string;
  readonly data: Fields;
}

/** What a database file contains. */
export interface Content {
  readonly events: readonly RecordedEvent[];
  /** The resources as text, by subject: `pets/7`. */
  readonly resources: ReadonlyMap<string, string>;
}

/** What is known of a change: its response was a success; there was none yet, or 5xx; it was not sent. */
export type Fate = 'acknowledged' | 'sent' | 'not sent';

/** The fields of a resource that its row and its events both have. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  pets: ['id', 'name', 'categoryId', 'status'],
  categories: ['id', 'name'],
  orders: ['id', 'petId', 'status'],
  'api-keys': ['id', 'name', 'revokedAt'],
};

const ROWS = [
  `SELECT 'pets/' || id AS subject, id, name, category_id AS categoryId, status FROM pets`,
  `SELECT 'categories/' || id AS subject, id, name FROM categories`,
  `SELECT 'orders/' || id AS subject, id, pet_id AS petId, status FROM orders`,
  `SELECT 'api-keys/' || id AS subject, id, name, revoked_at AS revokedAt FROM api_keys`,
];

function textOf(subject: string, fields: Fields): string {
  const names = FIELDS[subject.split('/')[0] ?? ''] ?? [];
  // A time is a number in a row, and text in an event.
  const values = names.map((name) => (name === 'revokedAt' ? fields[name] != null : fields[name]));
  return JSON.stringify(values.map((value) => value ?? null));
}

/** What an event says, without what differs from run to run. */
export function nameOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): string {
  const { name, petId, status } = data;
  if (type.startsWith('order.')) return `${type} of animal ${petId}`;
  return [type, name, ...(type.startsWith('pet.') ? [status] : [])].join(' ');
}

/** Reads a database file, its -wal included. */
export function contentOf(path: string): Content {
  const connection = new Database(path, { readwrite: true });
  try {
    const events = connection
      .query<EventRow, []>(`SELECT ${selectListOf(EVENTS)} FROM events ORDER BY id`)
      .all()
      .map((event) => ({ ...wordsOf(event), data: JSON.parse(event.content).data }));
    const rows = ROWS.flatMap((sql) => connection.query<Fields, []>(sql).all());
    const resources = new Map(
      rows.map((row) => [`${row['subject']}`, textOf(`${row['subject']}`, row)]),
    );
    return { events, resources };
  } finally {
    connection.close(true);
  }
}

/** Opens a database as the start of the service does, and returns its content and what is wrong with the file. */
export async function inspect(path: string): Promise<{ content: Content; problems: string[] }> {
  await openSqlite(path).close();
  const content = contentOf(path);
  const { faults, warnings } = await maintainSqlite(path).check();
  // A kill during a checkpoint leaves a -wal that the start compares with the file.
  const others = warnings.filter((warning) => !/ may be left over /.test(warning));
  const problems = [...faults.map(({ message }) => message), ...others].map(
    (problem) => `check: ${problem}`,
  );
  return { content, problems };
}

/**
 * What is wrong with a database: acknowledged changes that are missing, changes that are there in part or twice, and rows that
 * do not follow from the events.
 * @param before what the database contained before the changes.
 */
export function problemsOf(
  before: Content,
  after: Content,
  changes: readonly { readonly change: Change; readonly fate: Fate }[],
): string[] {
  const added = after.events.slice(before.events.length);
  const counts = new Map<string, number>();
  for (const name of added.map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const problems: string[] = [];
  for (const { change, fate } of changes) {
    const found = change.events.map((name) => counts.get(name) ?? 0);
    for (const name of change.events) counts.delete(name);
    const isWhole = found.every((count) => count === 1);
    const isAbsent = found.every((count) => count === 0);
    if (isWhole && fate !== 'not sent') continue;
    if (isAbsent && fate !== 'acknowledged') continue;
    problems.push(`${change.name} was ${fate}, and of its events there are ${found}`);
  }
  for (const name of counts.keys()) problems.push(`nobody asked for the event ${name}`);
  return [...problems, ...differences(before, added, after)];
}

/** Whether the rows are those that follow from the events. */
function differences(before: Content, added: readonly RecordedEvent[], after: Content): string[] {
  const expected = new Map(before.resources);
  for (const { type, subject, data } of added) {
    if (type.endsWith('.deleted')) expected.delete(subject);
    else expected.set(subject, textOf(subject, data));
  }
  const subjects = new Set([...expected.keys(), ...after.resources.keys()]);
  return [...subjects].flatMap((subject) => {
    const [row, text] = [after.resources.get(subject), expected.get(subject)];
    return row === text ? [] : [`${subject} is ${row}, but ${text} according to the events`];
  });
}
