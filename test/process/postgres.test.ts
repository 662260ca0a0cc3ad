/** The service and the commands on a PostgreSQL database, as real processes. */
import { describe, expect, test } from 'bun:test';
import { openMigratedScratch, openScratch } from '../storage/postgres/scratch.ts';
import { createKeyByCommand } from '../support/create-key.ts';
import {
  animalStore,
  commandOf,
  postPet,
  startCommand,
  startService,
  workplace,
} from '../support/process.ts';
import { useShared } from '../support/use-each.ts';
import { getJson } from './connection.ts';
import { logged } from './logged.ts';
import { expectRefused } from './maintained.ts';
import { openPasswordScratch } from './password-scratch.ts';

const PASSWORD = 'sw0rd%20f1sh';
const DECODED = 'sw0rd f1sh';

const restart = (url: string) =>
  startCommand(commandOf('serve', '--database', url, '--port', '0'), { showsKey: false });

function expectNoPassword(text: string): void {
  expect(text).not.toBe('');
  for (const form of [PASSWORD, DECODED]) expect(text).not.toContain(form);
}

describe('serve', () => {
  test('creates its tables and shows the first key once; neither standard error nor log contains the password', async () => {
    await using scratch = await openScratch();
    const url = scratch.url.replace('postgres@', `postgres:${PASSWORD}@`);
    await using first = await startService(url);
    const { firstKey = '' } = first;
    expect((await postPet(first.origin, firstKey, { name: 'Rex', categoryId: 1 })).status).toBe(
      201,
    );
    expect(first.stderr()).toContain(` from ${scratch.url}. `);
    const { status, stdout, stderr } = await first.stop();
    expect(status).toBe(0);
    const [started] = logged(stdout, 'server_started');
    expect(started).toMatchObject({ 'animal_store.database.url': scratch.url });
    expectNoPassword(stdout);
    expectNoPassword(stderr);
    await using service = await restart(url);
    expect(await getJson<object>(service.origin, firstKey, '/pets/1')).toEqual({
      id: 1,
      name: 'Rex',
      categoryId: 1,
    });
    expect((await service.stop()).stderr).not.toContain('first API key');
  });

  test('accepts standbys only with a PostgreSQL database', async () => {
    using place = workplace();
    const flags = ['--database', place.database, '--database-standby-urls', 'postgres://a@b/c'];
    expect(await animalStore(['serve', '--port', '0', ...flags])).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'animal-store: --database-standby-urls (DATABASE_STANDBY_URLS) is allowed only with a PostgreSQL database.\n',
    });
    expect(place.has('animals.db')).toBe(false);
  });
});

test.concurrent.each([
  ['import --categories', ['import', '-', '--categories'], 'Imported 2 categories.'],
  ['renew-events', ['renew-events'], 'The events have a new generation.'],
])('%s may take longer than one request', async (_command, args, said) => {
  await using scratch = await openMigratedScratch();
  await scratch.sql.unsafe(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1.2); RETURN NULL; END $$;
    CREATE TRIGGER wait AFTER INSERT ON animal_store.categories EXECUTE FUNCTION wait();
    CREATE TRIGGER wait AFTER UPDATE ON animal_store.webhook_deliveries EXECUTE FUNCTION wait()`);
  const database = ['--database', scratch.url, '--database-timeout', '1s'];
  const run = await animalStore([...args, ...database], { input: 'id,name\n1,dogs\n2,cats\n' });
  expect(run.stderr).toStartWith(said);
  expect(run.status).toBe(0);
});

describe('a database that cannot be used fails with status 1 and one sentence', () => {
  const scratch = useShared(() => openPasswordScratch(DECODED));

  const addressOf = (password: string) =>
    `postgres://shop:${password}@127.0.0.1:${scratch.server.port}/${scratch.name}`;

  test('unless the password is correct', async () => {
    expect(await createKeyByCommand(addressOf(PASSWORD))).toStartWith('ask_live_');
  });

  const WRONG = 'The server does not accept the password of the role "shop"';

  test.concurrent.each<[string, () => string, string, ...string[]]>([
    ['with a wrong password', () => addressOf('wr0ng'), WRONG],
    ['with a wrong password, by serve', () => addressOf('wr0ng'), WRONG, 'serve', '--port', '0'],
    ['without a password', () => addressOf(''), 'The server requires a password'],
  ])('%s', async (_what, url, sentence, ...command) => {
    const variables = { DATABASE_URL: url() };
    const args = command.length > 0 ? command : ['keys', 'list'];
    const run = await animalStore(args, { variables });
    expectRefused(run, sentence);
    expectNoPassword(run.stderr);
    expect(run.stderr).not.toContain('wr0ng');
  });
});

test('the commands that need a catalogue reject a database without one, and create nothing', async () => {
  using place = workplace();
  await using scratch = await openScratch();
  const url = scratch.url.replace('postgres@', `postgres:${PASSWORD}@`);
  for (const command of ['keys list --database', 'export --database', 'copy --to a.db --from']) {
    const run = await animalStore([...command.split(' '), url], { cwd: place.path });
    expectRefused(run, 'There is no catalogue in this database');
  }
  expect(place.files()).toEqual([]);
  const schemas = await scratch.sql`SELECT FROM pg_namespace WHERE nspname = 'animal_store'`;
  expect(schemas.count).toBe(0);
});
