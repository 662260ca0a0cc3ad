/** The command line says who changed what, and a restore begins a new generation of events. */
import { expect, test } from 'bun:test';
import { animalStore, runAnimalStore, startService, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { getJson, getStatus } from './connection.ts';
import { newestId } from './followed-events.ts';

const place = useEach(workplace);

/** Runs a command that must succeed. */
async function run(args: readonly string[], input = '', own: Record<string, string> = {}) {
  const variables = { DATABASE_URL: place.database, ...own };
  const { status, stdout, stderr } = await animalStore(args, { variables, input });
  expect([args, status, stderr]).toEqual([args, 0, expect.any(String)]);
  return stdout;
}

test('events shows what commands changed, and who ran them', async () => {
  // The environment does not decide who it was.
  await run(['keys', 'create', '--name', 'till'], '', { USER: 'mallory' });
  await run(['import', '--format', 'ndjson', '-'], '{"name":"Rex","categoryId":1}\n');
  await run(['keys', 'rotate', '1']);
  const nameless = { DATABASE_URL: place.database, PATH: '/' };
  await runAnimalStore(['keys', 'revoke', '2'], { variables: nameless });
  await run(['keys', 'revoke', '2']);
  const username = Bun.spawnSync(['id', '-un']).stdout.toString().trim();
  const lines = (await run(['events'])).trimEnd().split('\n').slice(1);
  expect(lines.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ['api_key.created', 'api-keys/1', `keys create (${username})`],
    ['pets.imported', 'pets', `import (${username})`],
    ['api_key.rotated', 'api-keys/1', `keys rotate (${username})`],
    ['api_key.created', 'api-keys/2', `keys rotate (${username})`],
    ['api_key.revoked', 'api-keys/2', `keys revoke (${process.getuid?.()})`],
  ]);
  const imported = await run(['events', '--type', 'pets.imported', '--json']);
  expect(JSON.parse(imported).data).toEqual({ count: 1, firstId: 1, lastId: 1 });
  const json = await run(['events', '--subject', 'api-keys/1', '--json']);
  const events = json
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(events).toMatchObject([{ type: 'api_key.created' }, { type: 'api_key.rotated' }]);
  const later = await run(['events', '--since', events[1]?.id ?? '', '--type', 'api_key.revoked']);
  expect(later.trimEnd().split('\n')).toHaveLength(2);
});

test('after a restore, and after renew-events, a client gets 410 for its position', async () => {
  await run(['import', '--format', 'ndjson', '-'], '{"name":"Rex","categoryId":1}\n');
  const key = (await run(['keys', 'create', '--name', 'a', '--scopes', 'events:read'])).trim();
  const read = async (...positions: readonly string[]) => {
    await using service = await startService(place.database);
    const after = async (id: string) => {
      const args = [service.origin, key, `/events?after=${id}`] as const;
      return [await getStatus(...args), await getJson(...args)];
    };
    return await Promise.all(positions.map(after));
  };
  const expired = [410, expect.anything()];
  const first = await newestId(place.database);
  await run(['backup', place.file('backup.db')]);
  await run(['restore', place.file('backup.db')]);
  const restored = await newestId(place.database);
  expect(await read(first, restored)).toEqual([expired, [200, []]]);
  await run(['renew-events']);
  expect(await read(restored)).toEqual([expired]);
});
