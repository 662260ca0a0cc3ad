/** Each page of events is read by an index in the order of the page, with and without the events of keys. */
import { expect, test } from 'bun:test';
import type { EventFilters } from '../../../src/events/event-filters.ts';
import { SORTS } from '../../../src/http/contract/list-query.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { StoredEvents } from '../../../src/storage/stores/event-store.ts';
import { lastPrepared, planOf } from './query-plan.ts';
import { useMigrated } from './scratch.ts';

const connection = useMigrated();

const NAME_OF_KEY = 'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)';

test.each<[EventFilters, string]>([
  [{}, 'events USING INTEGER PRIMARY KEY (rowid_?)'],
  [
    { subject: 'pets/1' },
    'events USING INDEX events_by_subject (collection=? AND resource_id=? AND rowid_?)',
  ],
  [{ type: ['pet.created'] }, 'events USING INDEX events_by_type (type=? AND rowid_?)'],
  [
    { type: ['pet.created', 'pet.deleted'] },
    'events USING INDEX events_by_type (type=? AND rowid_?)',
  ],
  [
    { subject: 'pets/1', type: ['pet.created', 'pet.deleted'] },
    'events USING INDEX events_by_subject (collection=? AND resource_id=? AND rowid_?)',
  ],
])('with the filters %j', (filters, plan) => {
  for (const sort of SORTS)
    for (const withKeys of [true, false]) {
      const sql = lastPrepared(connection, (on) =>
        new StoredEvents(new SqliteSql(on)).list({ filters, sort }, 5, 21, withKeys),
      );
      const steps = planOf(connection, sql).filter((step) => step.includes('events'));
      const expected = `SEARCH ${plan.replace('_?', sort === 'id' ? '>?' : '<?')}`;
      expect(steps.length).toBeGreaterThan(0);
      expect(new Set(steps)).toEqual(new Set([expected]));
      const others = planOf(connection, sql).filter((step) => /SORT|TEMP|SCAN/.test(step));
      expect(others.filter((step) => !/^SCAN json_each/.test(step))).toEqual([]);
      expect(planOf(connection, sql)).toContain(NAME_OF_KEY);
    }
});
