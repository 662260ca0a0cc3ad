/** A stored event that nobody can read stops its readers only, and ids that are used up are named. */
import { expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { StreamReader } from '../support/event-stream.ts';
import { bearer, postPet, startService, until, workplace } from '../support/process.ts';
import { WHAT, what } from '../support/stored-events.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused, maintain, withFile } from './maintained.ts';

const place = useEach(workplace);

const REX = { name: 'Rex', categoryId: 1 };
const DAMAGE = "UPDATE events SET content = 'no JSON' WHERE resource_id = 2";
const FAULT =
  'row 3 of events (pet.created of pets/2) cannot be read: its content is not the JSON of an event';

test('an event that is no JSON ends the streams and requests that need it with its name in the log, and no others', async () => {
  await using service = await startService(place.database);
  const { origin, firstKey = '' } = service;
  const get = (query: string) => fetch(`${origin}/v1/events${query}`, bearer(firstKey));
  const open = async (query: string) => new StreamReader(await get(`/stream${query}`));
  const add = () => postPet(origin, firstKey, REX);
  await add();
  const [{ id = '' } = {}] = (await (await get('?subject=pets/1')).json()) as { id: string }[];
  await add();
  withFile(place.database, (file) => file.run(DAMAGE));
  const behind = await open(`?after=${id}`);
  const other = await open(`?after=${id}&subject=pets/3`);
  await add();
  await behind.ended;
  await until(() => other.events.length === 1);
  expect(behind.events).toEqual([]);
  const refused = await get('');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'unavailable' });
  const next = await get(`?after=${id.replace(/-2$/, '-3')}`);
  expect(await next.json()).toMatchObject([{ subject: 'pets/3' }]);
  const log = (await service.stop()).stdout.split('\n');
  const sentence = '-3 (pet.created of pets/2) is damaged: ';
  expectRefused(await maintain(place.database, 'events', '--json'), sentence);
  expect(log.filter((line) => line.includes(sentence)).length).toBeGreaterThanOrEqual(2);
});

test('an event is damaged if its time is impossible, and no content changes its id', async () => {
  const { database } = place;
  await maintain(database, 'keys', 'create', '--name', 'a');
  withFile(database, (file) =>
    file.run(
      `INSERT INTO events (${WHAT}, at, content) VALUES (${what('pet.created', 1)}, 0, '{"id":"7","data":{"id":1}}')`,
    ),
  );
  const list = () => maintain(database, 'events', '--json');
  expect((await list()).stdout).toMatch(/\n\{"id":"[0-9a-f]{8}-2",.*"data":\{"id":1\}\}\n$/);
  withFile(database, (file) => file.run('UPDATE events SET at = 9000000000000000 WHERE id = 2'));
  const sentence = '-2 (pet.created of pets/1) is damaged: its time is impossible';
  expectRefused(await list(), sentence);
});

test('check finds it, and neither backup nor restore accepts it', async () => {
  const { database, file } = place;
  await maintain(database, 'keys', 'create', '--name', 'a');
  withFile(database, (connection) => {
    const [first, second] = [1, 2].map((id) => what('pet.created', id));
    connection.run(
      `INSERT INTO events (${WHAT}, at, content) VALUES (${first}, 0, '{"data":{}}'), (${second}, 0, '')`,
    );
  });
  copyFileSync(database, file('copied.db'));
  expect(await maintain(database, 'check')).toEqual({
    status: 1,
    stdout: `${FAULT}\n`,
    stderr: 'animal-store: 1 fault was found. Stop the service, and restore a backup.\n',
  });
  for (const args of [
    ['backup', file('backup.db')],
    ['restore', file('copied.db')],
  ]) {
    const run = await maintain(database, ...args);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(FAULT);
  }
});

test('an event with codes of a later version is listed, but one of an API key, or of a later collection, only to those who may manage keys; ids that are used up are named in the log of each refused write and by check', async () => {
  const { database } = place;
  await using service = await startService(database);
  const { origin, firstKey = '' } = service;
  for (let count = 0; count < 3; count += 1) await postPet(origin, firstKey, REX);
  withFile(database, (file) => {
    file.run('UPDATE events SET type = 99 WHERE id IN (1, 2)');
    file.run('UPDATE events SET collection = 8 WHERE id = 4');
  });
  const reader = await maintain(
    database,
    ...['keys', 'create', '--name', 'reader', '--scopes', 'events:read', '--json'],
  );
  const seenBy = async (key: string) => {
    const events = await (await fetch(`${origin}/v1/events`, bearer(key))).json();
    return (events as { type: string; subject: string }[]).map(
      ({ type, subject }) => `${type} of ${subject}`,
    );
  };
  const ofPets = ['unknown-99 of pets/1', 'pet.created of pets/2'];
  expect(await seenBy(JSON.parse(reader.stdout).key)).toEqual(ofPets);
  expect(await seenBy(firstKey)).toEqual([
    'unknown-99 of api-keys/1',
    ...ofPets,
    'pet.created of unknown-8/3',
    'api_key.created of api-keys/2',
  ]);
  withFile(database, (file) =>
    file.run("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'events'"),
  );
  expect((await postPet(origin, firstKey, REX)).status).toBe(507);
  expect((await postPet(origin, firstKey, REX)).status).toBe(507);
  const log = (await service.stop()).stdout.split('\n');
  const named = log.filter((line) => line.includes('The ids of events are used up'));
  expect(named).toHaveLength(2);
  expect(log.filter((line) => line.includes('writes_unavailable'))).toEqual([]);
  const { status, stdout } = await maintain(database, 'check');
  expect(status).toBe(1);
  expect(stdout).toBe('the ids of events are used up, so nothing can be added\n');
});
