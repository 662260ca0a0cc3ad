/** The command line says who changed what, and a restore begins a new generation of events. */
import { expect, test } from 'bun:test';
import {
  animalStore,
  bearer,
  runAnimalStore,
  startService,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

/** Runs a command that must succeed. */
const runIn =
  ({ database }: Workplace) =>
  async (args: readonly string[], input = '', variables: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = await animalStore(args, {
      variables: { DATABASE_URL: database, ...variables },
      input,
    });
    expect([args, status, stderr]).toEqual([args, 0, expect.any(String)]);
    return stdout;
  };

test('events shows what commands changed, and who ran them', async () => {
  const run = runIn(place);
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
  expect(JSON.parse(await run(['events', '--type', 'pets.imported', '--json'])).data).toEqual({
    count: 1,
    firstId: 1,
    lastId: 1,
  });
  const json = await run(['events', '--subject', 'api-keys/1', '--json']);
  const events = json
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });
  expect(events).toMatchObject([{ type: 'api_key.created' }, { type: 'api_key.rotated' }]);
  const later = await run(['events', '--since', events[1]?.id ?? '', '--type', 'api_key.revoked']);
  expect(later.trimEnd().split('\n')).toHaveLength(2);
});

type Read = (query: string) => Promise<[status: number, events: { readonly id: string }[]]>;

/** The position of the newest event, after which there is none. */
async function newestPosition(read: Read): Promise<string> {
  const [, events] = await read('');
  const after = `after=${events.at(-1)?.id}`;
  expect(await read(after)).toEqual([200, []]);
  return after;
}

test('after a restore, and after renew-events, a client gets 410 for its position', async () => {
  const run = runIn(place);
  await run(['import', '--format', 'ndjson', '-'], '{"name":"Rex","categoryId":1}\n');
  const created = await run(['keys', 'create', '--name', 'a', '--scopes', 'events:read']);
  const serve = async <T>(work: (read: Read) => Promise<T>) =>
    withService(await startService(place.database), ({ origin }) =>
      work(async (query) => {
        const response = await fetch(`${origin}/v1/events?${query}`, bearer(created.trim()));
        return [response.status, (await response.json()) as { id: string }[]];
      }),
    );
  const newest = (await run(['events', '--json'])).trimEnd().split('\n').at(-1) ?? '';
  const first = `after=${JSON.parse(newest).id}`;
  await run(['backup', place.file('backup.db')]);
  await run(['restore', place.file('backup.db')]);
  const restored = await serve(async (read) => {
    expect((await read(first))[0]).toBe(410);
    return newestPosition(read);
  });
  await run(['renew-events']);
  await serve(async (read) => {
    expect((await read(restored))[0]).toBe(410);
  });
});
