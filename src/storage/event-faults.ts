import { parseContent } from '../events/event-content.ts';
import { type EventRow, faultIn, wordsOf } from './event-rows.ts';
import { MAX_FAULTS } from './invariants.ts';

/** A row with the columns of `selectStored`. An engine may return each number as a bigint. */
export type StoredRow = Pick<EventRow, 'content'> & {
  readonly [Column in 'id' | 'type' | 'collection' | 'resourceId']: number | bigint;
};

/** The events of a table, to collect those that make no sense. */
export const selectStored = (table: string): string =>
  `SELECT id, type, collection, resource_id AS "resourceId", content FROM ${table} ORDER BY id`;

/** Adds a message about each row that the feed cannot show, or shows wrong. Returns whether there are more than are listed. */
export function collectDamaged(
  table: string,
  rows: Iterable<StoredRow>,
  messages: string[],
): boolean {
  for (const { id, content, ...row } of rows) {
    const codes = { ...row, type: Number(row.type), collection: Number(row.collection) };
    const fault =
      faultIn(codes) ??
      (parseContent(content)
        ? undefined
        : 'cannot be read: its content is not the JSON of an event');
    if (fault === undefined) continue;
    const { type, subject } = wordsOf(codes);
    messages.push(`row ${id} of ${table} (${type} of ${subject}) ${fault}`);
    if (messages.length > MAX_FAULTS) return true;
  }
  return false;
}
