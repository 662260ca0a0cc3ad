/** With an Idempotency-Key, a retry does not repeat what was committed before a crash. */
import { expect, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../support/cause.ts';
import { createKey } from '../support/create-key.ts';
import { bearer, startCommand, startService, workplace } from '../support/process.ts';
import { Connection, jsonRequest } from './connection.ts';

const KILLED_SERVER = fileURLToPath(new URL('./killed-after-commit.ts', import.meta.url));
const IDEMPOTENCY_KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"';

/** Each with a list of what it adds and nothing else, and the path of that if it is one resource. */
const POSTS = [
  {
    path: '/v1/pets',
    list: '/v1/pets?status=sold',
    location: '/v1/pets/2',
    body: '{"name":"R\\u00e9x", "categoryId":9007199254740993, "status":"sold"}',
  },
  {
    path: '/v1/pet-batches',
    list: '/v1/pets?status=available&limit=100',
    body: `{"pets":[${Array(20).fill('{"status":"available", "name":"R\\u00e9x", "categoryId":9007199254740993}').join()}]}`,
  },
  {
    path: '/v1/store/orders',
    list: '/v1/store/orders',
    location: '/v1/store/orders/1',
    body: '{"petId":1}',
  },
];

async function addPet(path: string): Promise<void> {
  const database = openSqlite(path);
  await database.write(BY_TEST, ({ pets }) =>
    pets.create({ name: 'Rex', categoryId: 1, status: 'available' }),
  );
  await database.close();
}

/** Sends a request once, on its own connection. Resolves with undefined if there is no response. */
async function sendOnce(origin: string, key: string, { path, body }: (typeof POSTS)[number]) {
  const connection = await Connection.open(origin);
  connection?.send(jsonRequest(key, `POST ${path}`, body, `Idempotency-Key: ${IDEMPOTENCY_KEY}`));
  const response = await connection?.response();
  connection?.close();
  return response;
}

test('after a kill between commit and response, a retry that adds an animal, many, or an order adds nothing, and gets the first response byte for byte', async () => {
  using place = workplace();
  const { database } = place;
  const key = await createKey(database);
  await addPet(database);
  for (const post of POSTS) {
    const command = [process.execPath, KILLED_SERVER, database];
    await using killed = await startCommand(command, { showsKey: false });
    expect(await sendOnce(killed.origin, key, post)).toBeUndefined();
    expect((await killed.ended()).status).toBeNull();
  }
  await using service = await startService(database);
  const { origin } = service;
  const read = async (path: string) => (await fetch(`${origin}${path}`, bearer(key))).text();
  for (const post of POSTS) {
    const added = await read(post.list);
    const expected = post.location ? await read(post.location) : added;
    expect(added).toBe(post.location ? `[${expected}]` : expected);
    expect(added).toContain('"id":');
    for (let retry = 0; retry < 2; retry += 1) {
      const response = await sendOnce(origin, key, post);
      expect(response?.status).toBe(201);
      expect(response?.head).toMatch(/^idempotency-replayed: true$/im);
      const location = /^location: https?:\/\/[^/]+(\S+)$/im.exec(response?.head ?? '')?.[1];
      expect(location).toBe(post.location);
      expect(response?.body).toBe(Buffer.from(expected).toString('latin1'));
    }
    expect(await read(post.list)).toBe(added);
  }
});
