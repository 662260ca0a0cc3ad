/** What streams of events do while the database cannot be read, and after a key has lost a scope. */
import { afterEach, expect, mock, spyOn, test } from 'bun:test';
import type { Scope } from '../../../src/http/contract/scopes.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { useEach } from '../../support/use-each.ts';
import { startStreamedService } from '../streamed-service.ts';

const HEARTBEAT = { poll: 3_600_000, heartbeat: 15_000, keyCheck: 3_600_000 };

const service = useEach(() => startStreamedService({ streamIntervals: HEARTBEAT }));
afterEach(() => mock.restore());

/** Makes it impossible to read events and keys. Returns what ends that. */
function loseDatabase() {
  const fail = () => {
    throw new StorageError('unavailable', 'The database is gone.');
  };
  const { events, apiKeys } = service.database.read;
  const spies = [
    spyOn(events, 'peek').mockImplementation(fail),
    spyOn(apiKeys, 'findById').mockImplementation(fail),
  ];
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
}

/** A reader of a stream that is live. */
async function openLive() {
  const reader = await service.open();
  await service.addRex();
  await service.receive(reader, 1);
  return reader;
}

test('a heartbeat is a comment', async () => {
  const reader = await service.open();
  service.streams.beat();
  await reader.next();
  expect(reader.others.at(-1)).toBe(':');
  expect(reader.lastId).toBe(reader.others[1]?.slice('id: '.length));
});

test('a stream ends in place of a heartbeat if the feed was not read since the last one', async () => {
  const reader = await openLive();
  await service.addRex();
  loseDatabase();
  for (let poll = 0; poll < 2; poll += 1) {
    service.clock.advance(HEARTBEAT.heartbeat / 2);
    await expect(service.poll()).rejects.toThrow('gone');
  }
  service.streams.beat();
  expect(service.ends()).toEqual([]);
  service.clock.advance(1);
  service.streams.beat();
  expect(await reader.ended).toBeUndefined();
  expect(service.ends()).toEqual(['unavailable']);
});

test('a stream goes on, without a gap, if the feed can be read again before', async () => {
  const reader = await openLive();
  const findAgain = loseDatabase();
  await service.addRex();
  service.clock.advance(HEARTBEAT.heartbeat);
  await expect(service.poll()).rejects.toThrow('gone');
  findAgain();
  await service.receive(reader, 2);
  // Also if nothing has changed for as long.
  service.clock.advance(HEARTBEAT.heartbeat);
  await service.poll();
  service.clock.advance(1);
  service.streams.beat();
  expect(service.ends()).toEqual([]);
});

const failed = (message: string): Observation => ({
  kind: 'background_job_failed',
  error: expect.objectContaining({ message: expect.stringContaining(message) }),
});

test('a live stream ends at an event that cannot be read, and the log names the event', async () => {
  await openLive();
  const { events } = service.database.read;
  const list = events.list.bind(events);
  spyOn(events, 'list').mockImplementation(async (...query) =>
    (await list(...query)).map((event) => ({ ...event, content: '' })),
  );
  await service.addRex();
  await service.poll();
  expect(service.ends()).toEqual(['unavailable']);
  expect(service.observed).toContainEqual(failed('(pet.created of pets/2) is damaged'));
});

test('a stream that cannot catch up ends at once, and the log has the reason', async () => {
  loseDatabase();
  const response = await service.ask();
  expect(response.status).toBe(200);
  expect(await response.text()).toMatch(/^retry: 2000\n\nid: [^\n]+\n\n$/);
  expect(service.ends()).toEqual(['unavailable']);
  expect(service.observed).toContainEqual(failed('The database is gone.'));
});

test('a stream goes on if its key cannot be checked', async () => {
  const reader = await service.open();
  const findAgain = loseDatabase();
  await expect(service.streams.checkKeys()).rejects.toThrow('gone');
  findAgain();
  await service.addRex();
  await service.receive(reader, 1);
});

test.each<[string, Scope[], string[]]>([
  ['events:read', ['keys:admin'], ['key_invalid']],
  ['keys:admin', ['events:read'], ['key_invalid']],
  ['neither', ['events:read', 'keys:admin'], []],
])('a stream of a key that has lost %s', async (_lost, scopes, ends) => {
  await service.open();
  const { apiKeys } = service.database.read;
  const find = apiKeys.findById.bind(apiKeys);
  spyOn(apiKeys, 'findById').mockImplementation(async (id) => {
    const key = await find(id);
    return key && { ...key, scopes };
  });
  await service.streams.checkKeys();
  expect(service.ends()).toEqual(ends);
});
