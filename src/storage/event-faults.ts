import { parseContent } from '../events/event-content.ts';
import { INT64_MIN, type Int64 } from '../int64.ts';
import { type Steps, wait } from '../steps.ts';
import { type EventRow, faultIn, wordsOf } from './event-rows.ts';
import { MAX_FAULTS, toFaults } from './invariants.ts';
import type { Fault } from './maintenance.ts';
import { int64FieldsOf, selectListOf } from './rows.ts';
import { type Sql, Statement } from './sql.ts';
import { EVENTS } from './tables.ts';

/** The number of events that are read at once. */
const SLICE = 1_000;

/** Finds the events of a table that the feed cannot show, or shows wrong. */
export function* findWrongEvents(sql: Sql, name: string, faults: Fault[]): Steps<void> {
  const select = new Statement<EventRow>(
    ({ table }) =>
      `SELECT ${selectListOf(EVENTS)} FROM ${table(name)} WHERE id > $1 ORDER BY id LIMIT ${SLICE}`,
    int64FieldsOf(EVENTS) as (keyof EventRow & string)[],
  );
  const messages: string[] = [];
  for (let afterId: Int64 = INT64_MIN; messages.length <= MAX_FAULTS; ) {
    const rows: readonly EventRow[] = yield* wait(sql.read(select, afterId));
    const last = rows.at(-1);
    if (last === undefined) break;
    afterId = last.id;
    for (const row of rows) {
      const fault =
        faultIn(row) ??
        (parseContent(row.content)
          ? undefined
          : 'cannot be read: its content is not the JSON of an event');
      if (fault === undefined) continue;
      const { type, subject } = wordsOf(row);
      messages.push(`row ${row.id} of ${name} (${type} of ${subject}) ${fault}`);
    }
  }
  faults.push(...toFaults('rows', messages));
}
