/** The receiver of docs/recipes.md: what it accepts, and that it keeps each event once. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { AnimalStore, type CategoryEvent, parseJson, testWebhook } from '../../sdk/src/index.ts';
import { spawnGuarded } from '../support/guard.ts';
import { projectOf } from '../support/guide-program.ts';
import { freePort } from '../support/postgres-home.ts';
import { startService, until, withService, workplace } from '../support/process.ts';
import { LOCAL_WEBHOOKS } from '../support/webhook-receiver.ts';

const [OLD, SECRET, OTHER] = ['A', 'B', 'C'].map((letter) => `whsec_${letter.repeat(32)}`) as [
  ...[string, string, string],
];
const NAMED: CategoryEvent = {
  ...{ id: '5f0c9a17-41', type: 'category.updated', subject: 'categories/1' },
  ...{ timestamp: '2027-01-01T12:00:00.000Z', actor: { keyId: 1 } },
  data: { id: 2n ** 63n - 1n, name: 'Köln 🦈' },
};

let project: Awaited<ReturnType<typeof projectOf>>;
let url: string;
let receiver: Bun.Subprocess;
beforeEach(async () => {
  project = await projectOf('receiver');
  url = `http://127.0.0.1:${await freePort()}/`;
});
afterEach(async () => {
  await kill();
  project.remove();
});

async function start(SECRET?: string) {
  const PORT = new URL(url).port;
  receiver = spawnGuarded([process.execPath, 'receiver.ts'], {
    cwd: project.path,
    env: { ...process.env, PORT, ...(SECRET && { SECRET }) },
    ...{ stdout: 'ignore', stderr: 'ignore' },
  });
  await until(() => fetch(url).then(Boolean, () => false));
}
async function kill() {
  receiver.kill('SIGKILL');
  await receiver.exited;
}
const send = async (event: Parameters<typeof testWebhook>[0], secret: string) => {
  const { status } = await fetch(url, { method: 'POST', ...(await testWebhook(event, secret)) });
  return status;
};
/** The events that the receiver has. */
function kept() {
  using inbox = new Database(project.file('inbox.db'), { readonly: true });
  inbox.run('PRAGMA busy_timeout = 5000');
  const rows = inbox.query<{ event: string }, []>('SELECT event FROM events ORDER BY id').all();
  return rows.map(({ event }) => parseJson(event));
}

test('without a secret, only the ping of a new endpoint is accepted', async () => {
  const { id, timestamp } = NAMED;
  await start();
  expect(await send({ id, type: 'ping', timestamp, data: {} }, SECRET)).toBe(204);
  expect(await send(NAMED, SECRET)).toBe(503);
  expect(kept()).toEqual([]);
});

test('each event is kept once, through a kill and a rotation, and none with another secret', async () => {
  const next = { ...NAMED, id: '5f0c9a17-42' };
  await start(OLD);
  expect(await send(NAMED, OLD)).toBe(204);
  expect(await send({ ...next, id: '5f0c9a17-43' }, OTHER)).toBe(400);
  await kill();
  await start(`${SECRET} ${OLD}`);
  for (const secret of [OLD, SECRET]) {
    expect(await send(NAMED, secret)).toBe(204);
    expect(await send(next, secret)).toBe(204);
  }
  expect(kept()).toEqual([NAMED, next]);
});

test('a real service and the receiver lose no event and keep none twice, through a kill of both', async () => {
  using place = workplace();
  const serve = () => startService(place.database, [], { variables: LOCAL_WEBHOOKS });
  const first = await serve();
  const storeOf = ({ origin }: typeof first) =>
    new AnimalStore({ baseUrl: `${origin}/v1`, apiKey: first.firstKey ?? '' });
  const store = storeOf(first);
  const subjects = () => kept().map((event) => (event as { subject: string }).subject);
  const addPet = () => store.pets.create({ name: 'Rex', categoryId: 2n ** 63n - 1n });

  await start();
  const { id, secret } = await store.webhookEndpoints.create({ url, types: ['pet.created'] });
  await kill();
  await start(secret);
  await withService(first, async () => {
    await Promise.all([addPet(), addPet(), addPet()]);
    await until(() => subjects().length === 3);
    await kill();
    await Promise.all([addPet(), addPet()]);
    await until(async () => {
      const [last, before] = await store.webhookEndpoints.deliveries(id).toArray();
      return last?.error === 'connection_failed' && before?.error === 'connection_failed';
    });
  });
  await start(secret);
  // The pause before the next attempt is over. If that one fails, too, the next pause is five minutes.
  using storage = new Database(place.database);
  storage.run('UPDATE webhook_deliveries SET next_at = 1, claimed_until = 0 WHERE next_at > 1');
  await withService(await serve(), async (second) => {
    await until(() => subjects().length === 5);
    await storeOf(second).webhookEndpoints.replay(id, { after: '2020-01-01T00:00:00Z' });
    await until(async () => {
      const deliveries = await storeOf(second).webhookEndpoints.deliveries(id).toArray();
      return deliveries.every(({ status }) => status === 'delivered');
    });
  });
  expect(subjects().sort()).toEqual([1, 2, 3, 4, 5].map((pet) => `pets/${pet}`));
});
