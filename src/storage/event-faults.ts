import { parseContent } from '../events/event-content.ts';
import type { Int64 } from '../int64.ts';
import { faultIn, wordsOf } from './event-rows.ts';
import { MAX_FAULTS } from './invariants.ts';
import type { CellRow } from './rows.ts';
import { Statement } from './sql.ts';

type StoredRow = readonly [id: Int64, type: number, collection: number, Int64, content: string];

/** The events of a table, to collect those that make no sense. */
export const selectStored = (name: string): Statement =>
  new Statement(
    ({ table }) =>
      `SELECT id, type, collection, resource_id, content FROM ${table(name)} ORDER BY id`,
  );

/** Adds a message about each row that the feed cannot show, or shows wrong. Returns whether there are more than are listed. */
export function collectDamaged(
  table: string,
  rows: readonly CellRow[],
  messages: string[],
): boolean {
  for (const row of rows as readonly StoredRow[]) {
    const [id, type, collection, resourceId, content] = row;
    const codes = { type, collection, resourceId };
    const fault =
      faultIn(codes) ??
      (parseContent(content)
        ? undefined
        : 'cannot be read: its content is not the JSON of an event');
    if (fault === undefined) continue;
    const words = wordsOf(codes);
    messages.push(`row ${id} of ${table} (${words.type} of ${words.subject}) ${fault}`);
    if (messages.length > MAX_FAULTS) return true;
  }
  return false;
}
