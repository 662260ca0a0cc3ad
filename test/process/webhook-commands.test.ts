/** `webhooks` manages endpoints in the database, and `events forward` posts signed events to a receiver. */
import { beforeEach, expect, test } from 'bun:test';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { rex } from '../storage/animals.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { importPets } from '../support/catalogue.ts';
import { spawnGuarded } from '../support/guard.ts';
import { animalStore, commandOf, until, workplace } from '../support/process.ts';
import { isSignedBy, LOCAL_WEBHOOKS, startReceiver } from '../support/webhook-receiver.ts';
import { importRex } from './followed-events.ts';

const SECRET = `whsec_${'A'.repeat(32)}`;

const receiver = startReceiver();
beforeEach(() => {
  receiver.received.length = 0;
  receiver.respond = () => new Response(null, { status: 204 });
});

const variablesOf = (database: string) => ({ DATABASE_URL: database, ...LOCAL_WEBHOOKS });
const command = (database: string, ...args: string[]) =>
  animalStore(args, { variables: variablesOf(database) });
/** Runs a command of `webhooks`, and parses its JSON. */
async function webhooks(database: string, ...args: string[]) {
  const { stdout, stderr } = await command(database, 'webhooks', ...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}
/** Without times, and with one space between cells. */
const cells = (text: string) =>
  text
    .replaceAll(/\d{4}-\S+Z/g, 'TIME')
    .replaceAll(/\d+ ms/g, 'N ms')
    .replaceAll(/ +/g, ' ');

// On PostgreSQL, where everything has to be awaited.
test('an endpoint is created after a signed ping, listed without its secret, disabled once, and enabled after a ping', async () => {
  await using scratch = await openMigratedScratch();
  const database = scratch.url;
  await importRex(database);
  const types = 'order.delivered,pet.deleted';
  const created = await command(database, 'webhooks', 'create', receiver.url, '--types', types);
  expect(created.stderr).toBe('Endpoint 1 was created. Its secret is shown only once:\n');
  const [{ body = '', headers } = {}] = receiver.received;
  expect((await verifyWebhook(body, headers as Headers, created.stdout.trim())).type).toBe('ping');
  const { id, secret } = await webhooks(database, 'create', receiver.url);
  expect([id, secret]).toEqual([2, expect.stringMatching(/^whsec_/)]);
  for (let times = 1; times <= 2; times++)
    expect((await command(database, 'webhooks', 'disable', '2')).stdout).toBe(
      'Endpoint 2 is disabled.\n',
    );
  expect(cells((await command(database, 'webhooks', 'list')).stdout)).toBe(
    'ID URL TYPES STATE REASON\n' +
      `1 ${receiver.url} ${types} enabled\n2 ${receiver.url} all disabled requested\n`,
  );
  const events = await command(database, 'events', '--subject', 'webhook-endpoints/2');
  expect(cells(events.stdout)).toMatch(/webhook_endpoint\.disabled \S+ webhooks disable \(/);
  const listed = await webhooks(database, 'list');
  expect(listed[1]).toMatchObject({ id: 2, status: 'disabled', disabledReason: 'requested' });
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  receiver.received.length = 0;
  receiver.respond = () => new Response(null, { status: 500 });
  const refused = await command(database, 'webhooks', 'enable', '2');
  expect([refused.status, refused.stderr]).toEqual([
    1,
    'animal-store: The endpoint did not accept a ping: unsuccessful_status (500).\n',
  ]);
  receiver.respond = () => new Response();
  expect((await command(database, 'webhooks', 'enable', '2')).stdout).toBe(
    'Endpoint 2 is enabled.\n',
  );
  expect(receiver.received.map((webhook) => isSignedBy(webhook, secret))).toEqual([true, true]);
  expect((await webhooks(database, 'list'))[1]).not.toHaveProperty('disabledReason');
});

test('a replay makes the events of a time due, and the deliveries say what becomes of them', async () => {
  using place = workplace();
  const { database } = place;
  await importRex(database);
  await webhooks(database, 'create', receiver.url);
  const replay = (...args: string[]) => webhooks(database, 'replay', '1', ...args);
  expect(await replay('--after', '9999-01-01')).toEqual({ count: 0 });
  expect(await replay('--after', '1h', '--only-failed')).toEqual({ count: 0 });
  expect(await replay('--after', '2h', '--until', '1h')).toEqual({ count: 0 });
  const replayed = await command(database, 'webhooks', 'replay', '1', '--after', '1h');
  expect(replayed.stdout).toBe('Deliveries that are due: 1.\n');
  const [delivery] = await webhooks(database, 'deliveries', '1');
  expect(delivery).toMatchObject({ endpointId: 1, type: 'pets.imported', status: 'pending' });
  expect(cells((await command(database, 'webhooks', 'deliveries', '1')).stdout)).toBe(
    'ID TYPE SUBJECT STATE ATTEMPTS RESPONSE LAST NEXT\n1 pets.imported pets pending 0 TIME\n',
  );
});

test('deliveries are the newest 100', async () => {
  using place = workplace();
  const { database } = place;
  const opened = openSqlite(database);
  for (let number = 0; number < 101; number += 1) await importPets(opened, [rex()]);
  await opened.close();
  await webhooks(database, 'create', receiver.url);
  await webhooks(database, 'replay', '1', '--after', '2000-01-01', '--until', '9999-01-01');
  const newest = await webhooks(database, 'deliveries', '1');
  expect([newest.length, newest.at(-1).id]).toEqual([100, 2]);
});

test('events forward posts each event after a position, signed and exact, and says how each ended', async () => {
  using place = workplace();
  const { database, file } = place;
  await importRex(database);
  const [first] = (await command(database, 'events', '--json')).stdout.split('\n');
  await importRex(database);
  await command(database, 'keys', 'create', '--name', 'shop');
  const statuses = [500, 204];
  receiver.respond = () => new Response(null, { status: statuses.shift() ?? 302 });
  const args = ['forward', '--since', JSON.parse(first ?? '').id, receiver.url];
  const text = (name: string) => Bun.file(file(name)).text();
  const forward = (...more: string[]) =>
    spawnGuarded(commandOf('events', ...args, ...more), {
      env: { ...process.env, ...variablesOf(database) },
      stdout: Bun.file(file('output')),
      stderr: Bun.file(file('errors')),
    });
  const forwarding = forward('--secret', SECRET);
  const lines = async () => (await text('output')).split('\n').slice(1, -1);
  await until(async () => (await lines()).length === 1);
  await importRex(database);
  await until(async () => (await lines()).length === 2);
  forwarding.kill('SIGTERM');
  expect([await forwarding.exited, await text('errors')]).toEqual([0, '']);
  expect(cells((await lines()).join('\n'))).toBe(
    'TIME pets.imported pets 500 (N ms)\nTIME pets.imported pets 204 (N ms)',
  );
  const [, ...listed] = (
    await command(database, 'events', '--json', '--type', 'pets.imported')
  ).stdout
    .trimEnd()
    .split('\n');
  expect(receiver.received.map(({ body }) => body)).toEqual(listed);
  for (const { body, headers } of receiver.received)
    expect((await verifyWebhook(body, headers, SECRET)).type).toBe('pets.imported');
  receiver.received.length = 0;
  const unnamed = forward();
  await until(() => receiver.received.length === 2);
  unnamed.kill('SIGTERM');
  await unnamed.exited;
  const [, secret = ''] = /^The secret is (whsec_\S+)\.\n$/.exec(await text('errors')) ?? [];
  expect(receiver.received.every((webhook) => isSignedBy(webhook, secret))).toBe(true);
});
