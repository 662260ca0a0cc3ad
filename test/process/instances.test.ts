/** Several instances on one PostgreSQL database learn of each other's changes. `test/storage/postgres/races.test.ts` has the races. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/http/contract/scopes.ts';
import { openMigratedScratch, type Scratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { StreamReader } from '../support/event-stream.ts';
import { bearer, commandOf, post, postPet, startCommand, until } from '../support/process.ts';
import { getStatus } from './connection.ts';

/** How long an instance may accept a key that another instance revoked. */
const KEY_CACHE_MS = 5_000;

let scratch: Scratch;
let instances: Awaited<ReturnType<typeof startCommand>>[];
let key: string;
beforeAll(async () => {
  scratch = await openMigratedScratch();
  key = await createKey(scratch.url, SCOPES);
  const command = commandOf('serve', '--database', scratch.url, '--port', '0');
  const starts = [1, 2, 3].map(() => startCommand(command, { showsKey: false }));
  instances = await Promise.all(starts);
});
afterAll(async () => {
  const outcomes = await Promise.all(instances.map(({ stop }) => stop()));
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0]);
  await scratch.remove();
});

test.concurrent('a key that is revoked on one instance is rejected there immediately, and on the others soon', async () => {
  const [first = ''] = instances.map(({ origin }) => origin);
  const made = await post(first, key, '/api-keys', { name: 'till', scopes: ['pets:read'] });
  const till = (await made.json()) as { id: number; key: string };
  const statusAt = ({ origin }: { origin: string }) => getStatus(origin, till.key, '/pets');
  expect(await Promise.all(instances.map(statusAt))).toEqual([200, 200, 200]);
  const url = `${first}/v1/api-keys/${till.id}`;
  expect((await fetch(url, { method: 'DELETE', ...bearer(key) })).status).toBe(204);
  expect(await statusAt({ origin: first })).toBe(401);
  await sleep(KEY_CACHE_MS);
  expect(await Promise.all(instances.map(statusAt))).toEqual([401, 401, 401]);
});

test.concurrent('an event of one instance arrives in the streams of all', async () => {
  const streams = instances.map(({ origin }) => fetch(`${origin}/v1/events/stream`, bearer(key)));
  const readers = (await Promise.all(streams)).map((stream) => new StreamReader(stream));
  await until(() => readers.every(({ lastId }) => lastId !== undefined));
  const added = await postPet(instances[0]?.origin ?? '', key, { name: 'Rex', categoryId: 1 });
  const { id } = (await added.json()) as { id: number };
  const isThere = ({ json }: StreamReader) => json.some(({ subject }) => subject === `pets/${id}`);
  await until(() => readers.every(isThere));
  for (const reader of readers) await reader.close();
});
