/** `events --follow` prints every event once, and ends with a sentence if one may be missing. */
import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { newEvents } from '../../src/cli/follow-events.ts';
import type { EventType } from '../../src/events/event-types.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../support/cause.ts';
import { animalStore, ONE_SENTENCE, until, workplace } from '../support/process.ts';
import { openSqliteStorage } from '../support/sqlite-storage.ts';
import { WHAT, what } from '../support/stored-events.ts';
import { spawnAnimalStore } from './children.ts';
import { follow, importRex, newestId } from './followed-events.ts';
import { openPipe, type Pipe } from './pipes.ts';

/** A catalogue with the event of an import, and its raw tables. */
async function openCatalogue() {
  const place = workplace();
  await importRex(place.database);
  const tables = new Sqlite(place.database);
  const dispose = () => {
    tables.close();
    place.remove();
  };
  return { ...place, tables, [Symbol.dispose]: dispose };
}

const CONTENT = '{"actor":{"job":"test"},"data":{"id":9223372036854775807}}';

/** Adds an event of an animal as another process does. */
const add = (tables: Sqlite, id: number | bigint, type: EventType = 'pet.updated') =>
  tables
    .query(`INSERT INTO events (${WHAT}, at, content) VALUES (${what(type, '?')}, 0, ?)`)
    .run(id, CONTENT);

test.concurrent('events come as they are added, with and without JSON, and a signal ends the command with 0', async () => {
  using catalogue = await openCatalogue();
  const { database, tables } = catalogue;
  const json = follow(database, '--json', '--since', await newestId(database));
  const text = follow(database, '--type', 'pet.updated', '--type', 'pet.deleted');
  await until(() => text.lines().length === 1);
  add(tables, 1);
  await until(() => json.lines().length === 1);
  tables.transaction(() => {
    for (let index = 2; index <= 2500; index++) add(tables, index, 'pet.created');
  })();
  add(tables, -(2n ** 63n), 'pet.deleted');
  await until(() => json.lines().length === 2501 && text.lines().length === 3);
  expect(json.subjects()?.slice(0, 2500)).toEqual(
    Array.from({ length: 2500 }, (_value, index) => `pets/${index + 1}`),
  );
  expect(json.lines()[0]).toContain('"data":{"id":9223372036854775807}');
  const [heading = '', first = '', last = ''] = text.lines();
  expect(heading).toMatch(/^TIME {22}TYPE {23}SUBJECT {13}BY$/);
  expect(first).toMatch(/^1970-01-01T00:00:00.000Z {2}pet.updated {16}pets\/1 {14}test$/);
  expect(last).toContain('pet.deleted                pets/-9223372036854775808  test');
  expect(await json.ended('SIGINT')).toEqual({ status: 0, stderr: '' });
  expect(await text.ended('SIGTERM')).toEqual({ status: 0, stderr: '' });
});

const RESTORED = 'the database was restored, copied or replaced';

test.concurrent.each<[string, string]>([
  ["UPDATE event_feed SET generation = 'ffffffff'", RESTORED],
  ['DELETE FROM events', RESTORED],
  ['UPDATE event_feed SET deleted_to = 7', 'they were deleted because of their age'],
])('after %s, events are missing: %s', async (change, cause) => {
  using catalogue = await openCatalogue();
  const since = await newestId(catalogue.database);
  const database = openSqlite(catalogue.database);
  const feed = await database.read.events.feed();
  const filters = { type: undefined, subject: undefined };
  const pages = newEvents(database, { filters, feed, after: feed.newest });
  await pages.next();
  catalogue.tables.run(change);
  await expect(pages.next()).rejects.toThrow(
    `Events after ${since} are missing: ${cause}. Start again without --since.`,
  );
  await database.close();
});

test.concurrent('all events are listed, and --since must be a position that is known', async () => {
  using catalogue = await openCatalogue();
  const { database, tables } = catalogue;
  const list = (...args: readonly string[]) =>
    animalStore(['events', '--json', '--database', database, ...args]);
  tables.transaction(() => {
    for (let index = 2; index <= 2500; index++) add(tables, index);
  })();
  const ids = (await list()).stdout.match(/[0-9a-f]{8}-[0-9]+/g) ?? [];
  expect(ids.map((id) => Number(id.slice(9)))).toEqual(
    Array.from({ length: 2500 }, (_value, index) => index + 1),
  );
  tables.run('DELETE FROM events WHERE id <= 7; UPDATE event_feed SET deleted_to = 7');
  const generation = ids[0]?.slice(0, 8);
  expect((await list('--since', `${generation}-7`)).stdout.split('\n')).toHaveLength(2494);
  for (const id of [`${generation}-6`, `${generation}-2501`, '00000000-8']) {
    for (const flags of [[], ['--follow']]) {
      expect(await list('--since', id, ...flags)).toEqual({
        status: 1,
        stdout: '',
        stderr: `animal-store: The events after ${id} are not known: leave out --since.\n`,
      });
    }
  }
});

test.concurrent('a file that is replaced ends the command', async () => {
  using catalogue = await openCatalogue();
  const { database, file } = catalogue;
  const { lines, ended } = follow(database);
  await until(() => lines().length === 1);
  Bun.spawnSync(['mv', database, file('old.db')]);
  const { status, stderr } = await ended();
  expect([status, stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
});

test.concurrent('the deletion of old events that no filter selects is no gap', async () => {
  const storage = await openSqliteStorage();
  const { database } = storage;
  const { events } = database.read;
  const addPet = (name: string) =>
    database.write(BY_TEST, ({ pets }) => pets.create({ name, categoryId: 1 }));
  await addPet('Rex');
  const feed = await events.feed();
  const filters = { type: ['pet.deleted' as const], subject: undefined };
  const pages = newEvents(database, { filters, feed, after: feed.newest });
  const nextPage = async () => (await pages.next()).value?.map(({ subject }) => subject);
  for (const name of ['Mia', 'Tom']) await addPet(name);
  // The first page is read before the end of the feed is known, the second one up to there.
  expect([await nextPage(), await nextPage(), await nextPage()]).toEqual([[], [], []]);
  await database.write(BY_TEST, ({ events: stored }) => stored.deleteBefore(Infinity, 3));
  expect(await nextPage()).toEqual([]);
  await database.write(BY_TEST, ({ pets }) => pets.remove(1));
  expect(await nextPage()).toEqual(['pets/1']);
  await storage.remove();
});

test.concurrent('a reader that pauses delays no signal, and one that has gone ends the command', async () => {
  using catalogue = await openCatalogue();
  const { database, tables } = catalogue;
  const start = async (pipe: Pipe, block: () => void) => {
    const outputs = { stdout: pipe.input, stderr: 'inherit' } as const;
    const child = spawnAnimalStore(['events', '--follow', '--database', database], outputs);
    await until(() => pipe.drain() !== '');
    block();
    add(tables, 1);
    return child;
  };
  using full = openPipe(catalogue);
  using closed = openPipe(catalogue);
  const paused = await start(full, () => full.fill());
  const gone = await start(closed, () => closed.closeReader());
  await gone.exited;
  paused.kill('SIGTERM');
  expect([await gone.exited, await paused.exited]).toEqual([0, 0]);
});
