/** Events of one write that follow from each other are one statement. Others must not take part in it. */
import { expect, test } from 'bun:test';
import type { NewEvent } from '../../../src/events/event-store.ts';
import { appendEvents } from '../../../src/storage/sqlite/statements/append-events.ts';
import { SqliteSql } from '../../../src/storage/sqlite/statements/sqlite-sql.ts';
import { StoredEvents } from '../../../src/storage/stores/event-store.ts';
import { EVERY } from '../../support/list-query.ts';
import { useMigrated } from './scratch.ts';

const FIRST = {
  type: 'order.deleted',
  resourceId: 7,
  at: 1,
  keyId: 1,
} as const;

/** What differs from the event before. */
const NEXT: Readonly<Record<string, Partial<NewEvent>>> = {
  'nothing but the place': {},
  'another place': { resourceId: 20 },
  'the same place': { resourceId: 7 },
  'another time': { at: 2 },
  'another key': { keyId: 2 },
  'no key': { keyId: null },
  'another type': { type: 'order.updated' },
  'several resources': { type: 'pets.imported', resourceId: 0 },
  'a long id': { resourceId: 2n ** 62n },
};

const connection = useMigrated();

test.each(Object.entries(NEXT))('an event with %s', async (_what, difference) => {
  connection.run('DELETE FROM events');
  const sql = new SqliteSql(connection);
  const events: NewEvent[] = [
    { ...FIRST, content: '{"data":1}' },
    { ...FIRST, resourceId: 8, ...difference, content: '{"data":"\\u2028 \\""}' },
    { ...FIRST, resourceId: 9, content: '{}' },
  ];
  appendEvents(sql, events);
  const listed = await new StoredEvents(sql).list(EVERY, undefined, 10, true);
  expect(listed.map(({ id, keyName, ...event }) => event)).toEqual(
    events.map(({ resourceId, ...event }) => ({
      ...event,
      subject: resourceId === 0 ? 'pets' : `orders/${resourceId}`,
    })),
  );
});
