/** The events that writes record, on both engines: who, what, and nothing of what was rolled back. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { Cause } from '../../src/events/cause.ts';
import { parseContent } from '../../src/events/event-content.ts';
import type { ListedEvent } from '../../src/events/event-store.ts';
import { chain } from '../../src/maybe-promise.ts';
import type { Database } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';
import { newKey } from './new-key.ts';

const COMMAND: Cause = { actor: { command: 'import', user: 'ann "root"' }, at: 7 };

/** All events, without their positions. */
async function eventsOf({ read }: Database): Promise<Partial<ListedEvent>[]> {
  await read.events.feed();
  const query = { filters: {}, sort: 'id' } as const;
  const listed = await read.events.list(query, undefined, 1_000_000, true);
  return listed.map(({ id, ...event }) => event);
}

const contentsOf = async (database: Database) =>
  (await eventsOf(database)).map(({ type, subject, content = '' }) => [
    type,
    subject,
    JSON.parse(content),
  ]);

test.each([
  ...['', 'null', '[]', '{}', '{"data":null}', '{"data":[]}', '{"data":{},"previous":5}'],
  ...['{"data":{},"actor":"ann"}', '{"data":{},"actor":{"job":5}}'],
  ...['{"data":{},"withheld":{"a":"b"}}', '{"data":{},"withheld":[5]}'],
])('%s is not the content of an event', (text) => expect(parseContent(text)).toBeUndefined());

describe.each(ENGINES)('events in $name', ({ open }) => {
  const storage = useEach(open);
  let database: Database;
  beforeEach(() => {
    database = storage.database;
  });

  test('of additions that share a transaction have the key of each request, and the time', async () => {
    const key = newKey('a "key"');
    await database.write(BY_TEST, ({ apiKeys }) => apiKeys.create(key));
    const names = ['Rex', 'Zoë "\\ \u2028', 'Tom'];
    await Promise.all(
      names.map((name, index) =>
        database.addPet(
          { actor: { keyId: index + 1 }, at: 1_000 + index },
          rex({ name, categoryId: 9_007_199_254_740_993n }),
        ),
      ),
    );
    const [, ...events] = await eventsOf(database);
    // Not before its request, and not after the newest one of the group.
    for (const [index, { at }] of events.entries()) expect(at).toBeWithin(1_000 + index, 1_003);
    expect(events.map(({ content, at, ...event }) => event)).toEqual(
      names.map((_name, index) => ({
        type: 'pet.created',
        subject: `pets/${index + 1}`,
        keyId: index + 1,
        keyName: index === 0 ? key.name : null,
      })),
    );
    for (const [index, name] of names.entries()) {
      const content = events[index]?.content ?? '';
      expect(content).toContain('"categoryId":9007199254740993');
      const { data } = JSON.parse(content) as { data: object };
      expect(data).toEqual({ ...rex({ name }), id: index + 1, categoryId: expect.anything() });
    }
  });

  test('are rolled back with their write', async () => {
    const failing = database.write(BY_TEST, ({ pets }) =>
      chain(pets.create(rex()), () => {
        throw new Error('It fails after a change.');
      }),
    );
    await expect(failing).rejects.toThrow('It fails');
    await Promise.allSettled(['', 'Rex'].map((name) => database.addPet(BY_TEST, rex({ name }))));
    expect(await contentsOf(database)).toMatchObject([['pet.created', expect.any(String), {}]]);
  });

  test('of a command name it and its user', async () => {
    await database.write(COMMAND, ({ categories }) => categories.create({ id: 1, name: 'Dogs' }));
    expect(await eventsOf(database)).toEqual([
      {
        type: 'category.created',
        subject: 'categories/1',
        at: 7,
        keyId: null,
        keyName: null,
        content: JSON.stringify({ actor: COMMAND.actor, data: { id: 1, name: 'Dogs' } }),
      },
    ]);
  });

  test('of an import of animals are one, with the number and the range of ids', async () => {
    await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const imported = await database.transfer.beginImport(() => COMMAND);
    await imported.add([rex(), rex(), rex()]);
    await imported.commit();
    const kept = await database.transfer.beginImport(() => COMMAND);
    await kept.add([
      { ...rex(), id: 50 },
      { ...rex(), id: 20 },
    ]);
    await kept.commit();
    const empty = await database.transfer.beginImport(() => COMMAND);
    await empty.commit();
    const { actor } = COMMAND;
    expect((await contentsOf(database)).slice(1)).toEqual([
      ['pets.imported', 'pets', { actor, data: { count: 3, firstId: 2, lastId: 4 } }],
      ['pets.imported', 'pets', { actor, data: { count: 2, firstId: 20, lastId: 50 } }],
    ]);
  });

  test('of an import have the time at which it commits', async () => {
    let at = 1;
    const imported = await database.transfer.beginImport(() => ({ ...COMMAND, at }));
    await imported.add([rex()]);
    at = 2;
    await database.write({ ...BY_TEST, at }, ({ pets }) => pets.create(rex()));
    at = 3;
    await imported.commit();
    expect((await eventsOf(database)).map(({ type, at }) => [type, at])).toEqual([
      ['pet.created', 2],
      ['pets.imported', 3],
    ]);
  });

  test('of an import of categories are one, of what it changed', async () => {
    const put = (...ids: number[]) =>
      database.write(COMMAND, ({ categories }) =>
        categories.putAll(ids.map((id) => ({ id, name: `${id}` }))),
      );
    await put(5, -3, 9);
    await put(5, 9);
    await put(5, 6);
    await put(...Array.from({ length: 2_500 }, (_, index) => 9 - index), 10, 10);
    const { actor } = COMMAND;
    const imported = (count: number, firstId: number, lastId: number) => [
      ...['categories.imported', 'categories', { actor, data: { count, firstId, lastId } }],
    ];
    expect(await contentsOf(database)).toEqual([
      imported(3, -3, 9),
      imported(1, 6, 6),
      imported(2_497, -2_490, 10),
    ]);
  });

  test('of an expiry and of a deletion by age name the job, whoever caused the write', async () => {
    const times = { createdAt: '2027-01-01T00:00:00.000Z', expiresAt: '2027-01-01T00:30:00.000Z' };
    const now = Date.parse(times.expiresAt);
    await database.write(BY_TEST, ({ pets }) => pets.create(rex({ status: 'pending' })));
    await database.write(BY_TEST, ({ orders }) =>
      orders.create({ petId: 1, status: 'placed', ...times, note: 'For Ann.' }),
    );
    const before = (await eventsOf(database)).length;
    await database.write(BY_TEST, ({ orders }) => orders.expire(now));
    await database.write(BY_TEST, ({ orders }) => orders.deleteEndedBefore(now + 1, 10));
    const data = { id: 1, petId: 1, ...times, status: 'expired', endedAt: times.expiresAt };
    const pet = { ...rex({ status: 'available' }), id: 1 };
    const [expiry, retention] = [{ job: 'expire-orders' }, { job: 'delete-ended-orders' }];
    const previous = { status: 'placed', endedAt: null };
    expect((await contentsOf(database)).slice(before)).toEqual([
      ['order.expired', 'orders/1', { actor: expiry, data, previous }],
      ['pet.updated', 'pets/1', { actor: expiry, data: pet, previous: { status: 'pending' } }],
      ['order.deleted', 'orders/1', { actor: retention, data }],
    ]);
  });
});
