import { parseContent } from '../events/event-content.ts';
import type { StoredEvent } from '../events/event-store.ts';
import { MAX_FAULTS } from './invariants.ts';

/** A row with the columns of `selectContents`. */
export type ContentRow = Pick<StoredEvent, 'type' | 'subject' | 'content'> & {
  readonly id: unknown;
};

/** The events of a table, to collect those that nobody can read. */
export const selectContents = (table: string): string =>
  `SELECT id, type, subject, content FROM ${table} ORDER BY id`;

/** Adds a message about each row that the feed cannot show. Returns whether there are more than are listed. */
export function collectDamaged(
  table: string,
  rows: Iterable<ContentRow>,
  messages: string[],
): boolean {
  for (const { id, type, subject, content } of rows) {
    if (parseContent(content) !== undefined) continue;
    messages.push(
      `row ${id} of ${table} (${type} of ${subject}) cannot be read: its content is not the JSON of an event`,
    );
    if (messages.length > MAX_FAULTS) return true;
  }
  return false;
}
