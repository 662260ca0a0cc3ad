/** Webhooks of real processes: through a kill, a stop and a restore. */
import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { startWarnings } from '../../src/server/start-warnings.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { createAuthority } from '../support/certificates.ts';
import { createKey } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import { animalStore, post, postPet, startService, until, workplace } from '../support/process.ts';
import { LOCAL_WEBHOOKS, startReceiver } from '../support/webhook-receiver.ts';
import { preloading } from './children.ts';
import { canSetClock } from './clock.ts';
import { getJson } from './connection.ts';
import { maintain, maintained } from './maintained.ts';

const LOCAL = { variables: LOCAL_WEBHOOKS };
const PRELOAD = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));
const REX = { name: 'Rex', categoryId: 1 };

/** Creates an endpoint while no service runs. */
async function createEndpoint(database: string, { url }: { readonly url: string }): Promise<void> {
  const args = ['webhooks', 'create', url, '--database', database];
  expect((await animalStore(args, LOCAL)).status).toBe(0);
}

const statuses = async (origin: string, key: string): Promise<string[]> => {
  const path = '/webhook-endpoints/1/deliveries?limit=100';
  return (await getJson<{ status: string }[]>(origin, key, path)).map(({ status }) => status);
};

test.concurrent.skipIf(!canSetClock)(
  'after kill -9, another process delivers each event that was not delivered, and repeats only what was in progress',
  async () => {
    using place = workplace();
    const { database, write } = place;
    await using receiver = startReceiver();
    const key = await createKey(database, ['pets:write', 'webhooks:admin']);
    await using killed = await startService(database, [], LOCAL);
    const { url } = receiver;
    expect((await post(killed.origin, key, '/webhook-endpoints', { url })).status).toBe(201);
    receiver.received.length = 0;
    for (let count = 0; count < 8; count += 1) await postPet(killed.origin, key, REX);
    await until(async () => {
      const ended = (await statuses(killed.origin, key)).filter((one) => one === 'delivered');
      return ended.length === 8;
    });
    receiver.respond = () => new Promise(() => {});
    for (let count = 0; count < 8; count += 1) await postPet(killed.origin, key, REX);
    await until(() => receiver.received.length === 8 + 4);
    killed.signal('SIGKILL');
    await killed.ended();
    receiver.respond = () => new Response();
    // The claims of the killed process have ended then.
    const CLOCK_SHIFT = await write('clock', '31000');
    const variables = { ...LOCAL_WEBHOOKS, ...preloading(PRELOAD), CLOCK_SHIFT };
    await using service = await startService(database, [], { variables });
    await until(async () =>
      (await statuses(service.origin, key)).every((one) => one === 'delivered'),
    );
    const counts = Object.groupBy(receiver.received, ({ id }) => id);
    expect(Object.values(counts).map((all) => all?.length)).toEqual([
      ...Array(8).fill(1),
      ...Array(4).fill(2),
      ...Array(4).fill(1),
    ]);
  },
);

test.concurrent('a stop waits for attempts in progress within its deadline, and a restart repeats none of them', async () => {
  using place = workplace();
  const { database } = place;
  await using receiver = startReceiver();
  const key = await createKey(database, ['pets:write', 'webhooks:admin']);
  await createEndpoint(database, receiver);
  const service = await startService(database, ['--workers', '2'], LOCAL);
  receiver.received.length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.respond = () => promise.then(() => new Response());
  await postPet(service.origin, key, REX);
  await until(() => receiver.received.length === 1);
  const stopped = service.stop();
  await Promise.race([stopped, Bun.sleep(500)]);
  resolve();
  expect((await stopped).status).toBe(0);
  await using next = await startService(database, ['--metrics-port', '0'], LOCAL);
  expect(await statuses(next.origin, key)).toEqual(['delivered']);
  const { sum } = await scrape(next);
  expect(sum('animal_store_webhook_endpoints_disabled')).toBe(0);
  expect(sum('animal_store_webhook_oldest_due_age_seconds')).toBe(0);
  expect(receiver.received).toHaveLength(1);
});

test.concurrent('a restored database, and one whose events were renewed, sends nothing until somebody says so', async () => {
  using place = workplace();
  const { database, file } = place;
  await using receiver = startReceiver();
  const key = await createKey(database, ['pets:write', 'webhooks:admin']);
  await createEndpoint(database, receiver);
  const said = expect.stringContaining('Webhook endpoints are disabled: 1. The other database ');
  const [backup, renewed] = [file('backup.db'), file('renewed.db')];
  for (const copy of [backup, renewed]) await maintained(database, 'backup', copy);
  expect((await maintain(database, 'restore', backup)).stderr).toEqual(said);
  expect((await maintain(renewed, 'renew-events')).stderr).toEqual(said);
  receiver.received.length = 0;
  const disabled = [{ status: 'disabled', disabledReason: 'restored' }];
  const list = await maintained(renewed, 'webhooks', 'list', '--json');
  expect(JSON.parse(list)).toMatchObject(disabled);
  await using service = await startService(database, [], LOCAL);
  expect(await getJson<object[]>(service.origin, key, '/webhook-endpoints')).toMatchObject(
    disabled,
  );
  await using other = startReceiver();
  await post(service.origin, key, '/webhook-endpoints', { url: other.url });
  await postPet(service.origin, key, REX);
  await until(() => other.received.some(({ body }) => body.includes('"pet.created"')));
  expect(receiver.received).toEqual([]);
  const opened = openSqlite(database);
  const config = { host: '127.0.0.1', extensions: true, webhookSecretKeys: undefined };
  expect(await startWarnings(opened, config)).toEqual([
    expect.stringContaining('There are webhook endpoints, but without WEBHOOK_SECRET_KEY'),
  ]);
  await opened.close();
});

test.concurrent('with EXTENSIONS=off, nothing is sent', async () => {
  using place = workplace();
  await using receiver = startReceiver();
  const key = await createKey(place.database, ['pets:write', 'webhooks:admin']);
  await createEndpoint(place.database, receiver);
  receiver.received.length = 0;
  const variables = { ...LOCAL_WEBHOOKS, EXTENSIONS: 'off' };
  await using service = await startService(place.database, [], { variables });
  await postPet(service.origin, key, REX);
  // A deliverer looks for work five times a second.
  await Bun.sleep(1_000);
  expect(receiver.received).toEqual([]);
});

test.concurrent('over TLS, the certificate must be for the host of the URL, though the connection is to its address', async () => {
  using place = workplace();
  const key = await createKey(place.database, ['pets:write', 'webhooks:admin']);
  const authority = createAuthority('test');
  const NODE_EXTRA_CA_CERTS = await place.write('ca.pem', authority.certificate);
  const variables = { ...LOCAL_WEBHOOKS, NODE_EXTRA_CA_CERTS };
  await using service = await startService(place.database, [], { variables });
  for (const [name, expected] of [
    ['localhost', 201],
    ['other.test', 400],
  ] as const) {
    const { certificate: cert, key: privateKey } = authority.issue({ name, hosts: [name] });
    const tls = { cert, key: privateKey };
    const server = Bun.serve({ port: 0, tls, fetch: () => new Response() });
    const url = `https://localhost:${server.port}/`;
    const { status } = await post(service.origin, key, '/webhook-endpoints', { url });
    expect([name, status]).toEqual([name, expected]);
    await server.stop(true);
  }
});
