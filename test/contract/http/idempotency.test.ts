/** Idempotency-Key: a POST that is sent again gets the first response, and nothing is done twice. */
import { describe, expect, test } from 'bun:test';
import { operationsOf } from '../../../src/app.ts';
import { RECORD_LIFETIME_MS } from '../../../src/idempotency/idempotent-requests.ts';
import { chain } from '../../../src/maybe-promise.ts';
import { StorageError } from '../../../src/storage/database.ts';
import { countPets } from '../../support/catalogue.ts';
import { EVERY } from '../../support/list-query.ts';
import { startService, type TestService, useService } from '../../support/service.ts';
import type { TestResponse } from '../../support/test-response.ts';
import { addResources, bodyOf, pathOf } from '../resources.ts';

const service = useService();

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;

interface Sent {
  readonly to?: TestService;
  readonly path?: string;
  readonly body?: unknown;
  readonly key?: string;
}
const send = (
  idempotencyKey: string,
  { to = service, path = '/v1/pets', body = REX, key }: Sent = {},
) =>
  to.request('POST', path, {
    body,
    ...(key && { key }),
    headers: { 'Idempotency-Key': idempotencyKey, 'Content-Type': 'application/json' },
  });
const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed');

const newIdempotencyKey = () => crypto.randomUUID();

const readEverything = async ({ database: { read } } = service) => [
  await read.pets.list(EVERY, 0, 10_000),
  await read.orders.list(EVERY, 0, 10_000),
  await read.apiKeys.list(undefined, 10_000),
];

/** The first responses, in the order in which they arrive. */
const firstOf = (sent: readonly Promise<TestResponse>[], count: number): Promise<TestResponse[]> =>
  new Promise((resolve, reject) => {
    const received: TestResponse[] = [];
    for (const one of sent)
      one.then((response) => {
        if (received.push(response) === count) resolve(received);
      }, reject);
  });

const POSTS = operationsOf(true)
  .map(({ operation }) => operation)
  .filter(({ method }) => method === 'post');

describe.each(POSTS)('$id, sent again with its Idempotency-Key,', (operation) => {
  const prepare = async () => {
    const ids = await addResources(service);
    return { path: pathOf(operation, ids), body: bodyOf(operation, ids) ?? {} };
  };

  test('returns the first status, body and headers with Idempotency-Replayed: true, and does nothing twice', async () => {
    const request = await prepare();
    const key = newIdempotencyKey();
    const first = await send(key, request);
    expect([200, 201, 202]).toContain(first.status);
    expect(isReplay(first)).toBeNull();
    const after = await readEverything();
    for (const form of [key, `"${key}"`]) {
      const again = await send(form, request);
      expect(isReplay(again)).toBe('true');
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      for (const name of ['location', 'etag', 'cache-control', 'content-type'])
        expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    }
    expect(await readEverything()).toEqual(after);
  });

  test('is 422 with another body, even if only white space differs', async () => {
    if (operation.body === undefined) return;
    const { path, body } = await prepare();
    const key = newIdempotencyKey();
    expect((await send(key, { path, body })).status).toBeLessThan(300);
    const after = await readEverything();
    for (const other of [JSON.stringify(body, null, 1), { ...Object(body), note: 'other' }]) {
      const { json } = await send(key, { path, body: other });
      expect(json).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    }
    expect(await readEverything()).toEqual(after);
  });

  test('is another request from another API key', async () => {
    const { path, body } = await prepare();
    const key = newIdempotencyKey();
    const first = await send(key, { path, body });
    const { secret } = await service.issueKey([
      ...(['pets:write', 'orders:write', 'webhooks:admin', 'keys:admin'] as const),
    ]);
    const other = await send(key, { path, body, key: secret });
    expect(isReplay(other)).toBeNull();
    // Its id differs, unless the response has none.
    if ([200, 202].includes(first.status)) expect(other.status).toBe(first.status);
    else expect(other.text).not.toBe(first.text);
  });
});

test('the same Idempotency-Key is another request for another path', async () => {
  const key = newIdempotencyKey();
  const rotation = { gracePeriodSeconds: 60 };
  const paths = ['/v1/pets', '/v1/store/orders', '/v1/api-keys'];
  const { id } = await service.addPet(REX);
  for (let count = 0; count < 2; count += 1)
    paths.push(`/v1/api-keys/${(await service.issueKey()).key.id}/rotate`);
  for (const path of paths) {
    const { status: _none, ...rex } = REX;
    const body = path === '/v1/store/orders' ? rex : REX;
    const response = await send(key, { path, body: { ...body, petId: id, ...rotation } });
    expect([path, response.status, isReplay(response)]).toEqual([path, 201, null]);
  }
});

test('the same request is 409 idempotency_in_progress with Retry-After while the first is in progress', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: third, reject: refuseThird } = Promise.withResolvers<never>();
  let writes = 0;
  await using slow = await startService({
    wrap: (database) => ({
      ...database,
      write(cause, work) {
        writes += 1;
        if (writes === 3) refuseThird(new Error('The request is executed twice at the same time.'));
        return held.then(() => database.write(cause, work));
      },
    }),
  });
  const sent = Array.from({ length: 20 }, () => send('k', { to: slow }));
  const other = send('another', { to: slow });
  for (const { json, headers } of await Promise.race([firstOf(sent, 19), third])) {
    expect(json).toMatchObject({ code: 'idempotency_in_progress', status: 409 });
    expect(headers.get('retry-after')).toBe('1');
  }
  release();
  const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
  expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  expect((await other).status).toBe(201);
  expect(isReplay(await send('k', { to: slow }))).toBe('true');
  expect(await countPets(slow.database)).toBe(2);
});

test('an error is not saved: placeOrder with 409 succeeds unchanged when the animal is available', async () => {
  const key = newIdempotencyKey();
  const { id } = await service.addPet({ ...REX, status: 'sold' });
  const order = { path: '/v1/store/orders', body: { petId: id } };
  expect((await send(key, order)).status).toBe(409);
  await service.request('PATCH', `/v1/pets/${id}`, { body: { status: 'available' } });
  const placed = await send(key, order);
  expect([placed.status, isReplay(placed)]).toEqual([201, null]);
  expect(isReplay(await send(key, order))).toBe('true');
});

test('a retry may have another spelling of the Authorization header', async () => {
  const spelled = (Authorization: string) => {
    const headers = { Authorization, 'Idempotency-Key': 'spelled' };
    return service.request('POST', '/v1/pets', { body: REX, headers });
  };
  const first = await spelled(`bearer   ${service.key}`);
  const again = await spelled(`Bearer ${service.key}`);
  expect([again.text, isReplay(again)]).toEqual([first.text, 'true']);
});

test('a record expires after 24 hours: the first response is returned until then, even if the animal is deleted', async () => {
  const first = await send('a-day');
  expect(first.status).toBe(201);
  const { id } = first.json as { id: number };
  await service.request('DELETE', `/v1/pets/${id}`);
  service.clock.advance(RECORD_LIFETIME_MS - 1);
  expect(RECORD_LIFETIME_MS).toBe(86_400_000);
  expect((await send('a-day')).text).toBe(first.text);
  service.clock.advance(1);
  const second = await send('a-day');
  expect([second.status, isReplay(second)]).toEqual([201, null]);
  expect(second.json).not.toMatchObject({ id });
  expect((await send('a-day')).text).toBe(second.text);
});

test('the record is in the transaction of the change: if it fails, neither is stored', async () => {
  let fails = true;
  await using failing = await startService({
    wrap: (database) => ({
      ...database,
      write: (cause, work) =>
        database.write(cause, (stores) =>
          chain(work(stores), (result) => {
            if (fails) throw new StorageError('full', 'No room is left.');
            return result;
          }),
        ),
    }),
  });
  expect((await send('k', { to: failing })).json).toMatchObject({ code: 'storage_full' });
  expect(await countPets(failing.database)).toBe(0);
  fails = false;
  const created = await send('k', { to: failing });
  expect([created.status, isReplay(created)]).toEqual([201, null]);
  expect(await countPets(failing.database)).toBe(1);
});

test('the record of an API key is encrypted: the key is nowhere in the database', async () => {
  const { json, text } = await send('secret', { path: '/v1/api-keys', body: { name: 'web shop' } });
  const { key } = json as { key: string };
  expect((await send('secret', { path: '/v1/api-keys', body: { name: 'web shop' } })).text).toBe(
    text,
  );
  const bytes = await service.storedBytes();
  expect(bytes.includes('web shop')).toBeTrue();
  for (const secret of [key, key.slice(9, 39)])
    for (const encoding of ['utf8', 'hex', 'base64', 'utf16le'] as const)
      expect(bytes.includes(Buffer.from(secret).toString(encoding))).toBeFalse();
});
