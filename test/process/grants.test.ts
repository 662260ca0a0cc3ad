/** The roles of docs/access.md, "Roles and grants": the SQL of that page is executed, and is enough. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { BY_TEST } from '../support/cause.ts';
import { type PostgresServer, sharedPostgres } from '../support/postgres-server.ts';
import { animalStore, bearer, postPet, startService, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { handbookBlock, statementsOf } from './handbook.ts';
import { expectRefused } from './maintained.ts';

const place = useEach(workplace);

const ENDPOINT = { url: 'https://a.test/', status: 'enabled', createdAt: '1970' } as const;
const CANCELLED = { petId: 1, status: 'cancelled', createdAt: '1970-01-01T00:00:00Z' } as const;

let server: PostgresServer;
beforeAll(async () => {
  server = await sharedPostgres();
  // The handbook's test may have created it.
  await server.sql`DROP ROLE IF EXISTS store`;
  const asSuperuser = async (block: string) => {
    for (const statement of statementsOf(block)) await server.sql.unsafe(statement);
  };
  await asSuperuser(handbookBlock('postgresql', 'simplest'));
  await (await openPostgres(urlOf('store'), { checkService: () => {} })).close();
  await asSuperuser(handbookBlock('postgresql', 'password'));
  await asSuperuser('DROP DATABASE store;\nDROP ROLE store;\n');
  await asSuperuser(handbookBlock('access', 'roles'));
  using folder = workplace();
  await folder.write('owner-url', urlOf('store_owner'));
  const [, ...args] = handbookBlock('access', 'migrate').trim().split(' ');
  expect((await animalStore(args, { cwd: folder.path })).status).toBe(0);
  const owner = postgres(urlOf('store_owner'), { max: 1, onnotice: () => {} });
  for (const role of ['service', 'import', 'export', 'copy'])
    await owner.unsafe(await grantsOf(`store_${role}`));
  await owner.end();
});
afterAll(async () => {
  for (const name of ['store', 'second']) await server.dropDatabase(name);
  for (const role of ['owner', 'service', 'import', 'export', 'copy'])
    await server.sql.unsafe(`DROP ROLE store_${role}`);
});

const urlOf = (role: string, database = 'store') => server.url(database, { user: role });

const grantsOf = async (role: string) => (await animalStore(['grants', '--role', role])).stdout;

/** Runs a command that must succeed, and returns its standard output. */
async function run(role: string, args: readonly string[], input = ''): Promise<string> {
  const variables = { DATABASE_URL: urlOf(role) };
  const { status, stdout, stderr } = await animalStore(args, { input, variables });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
}

const ANIMALS = '{"id":5,"name":"Rex","categoryId":1}\n{"id":7,"name":"Mia","categoryId":2}\n';

test('each command works with its own role', async () => {
  await run('store_import', ['import', '--keep-ids', '--format', 'ndjson', '-'], ANIMALS);
  await run('store_import', ['import', '--format', 'ndjson', '-'], '{"name":"Tom","categoryId":1}');
  const categories = '{"id":1,"name":"dogs"}';
  const args = ['import', '--categories', '--format', 'ndjson', '-'];
  for (const _again of [1, 2]) await run('store_import', args, categories);
  // No service has moved the events of the imports into the feed.
  expect(await run('store_copy', ['events'])).not.toContain('import');
  expect(await run('store_export', ['export'])).toStartWith(ANIMALS);
  expect(await run('store_export', ['export', '--categories'])).toContain('dogs');

  await using service = await startService(urlOf('store_service'));
  await useEveryTable(service.origin, service.firstKey ?? '');
  const { status, stdout } = await service.stop();
  expect([status, stdout]).toEqual([0, expect.not.stringContaining('"level":"error"')]);

  expect(await run('store_service', ['usage', '--all'])).toContain('createPet');
  expect(await run('store_service', ['keys', 'create', '--name', 'till'])).toStartWith('ask_');
  expect(await run('store_service', ['keys', 'list'])).toContain('till');
  expect(await run('store_service', ['status'])).toContain('Animals');
  for (const flags of [[], ['--check']]) await run('store_service', ['migrate', ...flags]);
  expect(await run('store_copy', ['check'])).toBe('No faults were found.\n');
  expect(await run('store_copy', ['status'])).toContain('Animals');
  expect(await run('store_copy', ['events'])).toContain('categories.imported');
  await run('store_service', ['renew-events']);

  const copy = ['copy', '--from', urlOf('store_copy'), '--to', place.file('copy.db')];
  expect((await animalStore(copy)).status).toBe(0);
  await server.sql.unsafe('CREATE DATABASE second OWNER store_owner TEMPLATE template0');
  const back = ['copy', '--from', place.file('copy.db'), '--to', urlOf('store_owner', 'second')];
  expect((await animalStore(back)).stdout).toContain('pets');
});

/** Requests that read and change every table, each with its expected status. */
async function useEveryTable(origin: string, key: string): Promise<void> {
  const send = async (method: string, path: string, status: number, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const once = method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() };
    const response = await fetch(`${origin}/v1${path}`, {
      method,
      headers: { ...bearer(key).headers, ...once, 'Content-Type': type },
      body: JSON.stringify(body),
    });
    expect([method, path, response.status]).toEqual([method, path, status]);
    const text = await response.text();
    return (text === '' ? {} : JSON.parse(text)) as { id: number };
  };
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect((await postPet(origin, key, { name: 'Pip', categoryId: 3 })).status).toBe(201);
  const pet = await send('POST', '/pets', 201, { name: 'Ann', categoryId: 3, status: 'available' });
  await send('GET', `/pets?id=${pet.id}`, 200);
  await send('PATCH', `/pets/${pet.id}`, 200, { name: 'Anna' });
  const order = await send('POST', '/store/orders', 201, { petId: pet.id });
  await send('PATCH', `/store/orders/${order.id}`, 200, { status: 'cancelled' });
  await send('GET', '/store/inventory', 200);
  await send('DELETE', `/pets/${pet.id}`, 204);
  await send('PUT', '/categories/9', 201, { name: 'cats' });
  await send('PUT', '/categories/9', 200, { name: 'lions' });
  await send('DELETE', '/categories/9', 204);
  const made = await send('POST', '/api-keys', 201, { name: 'till', scopes: ['pets:read'] });
  await send('POST', `/api-keys/${made.id}/rotate`, 201, { gracePeriodSeconds: 0 });
  await send('DELETE', `/api-keys/${made.id}`, 204);
  await send('GET', '/usage', 200);
  await send('GET', '/events', 200);
}

test('the background jobs of the service have their rights', async () => {
  const database = await openPostgres(urlOf('store_service'), { checkService: () => {} });
  try {
    // So many that their counts are replaced by sums.
    for (let added = 0; added < 110; added += 1)
      await database.write(BY_TEST, ({ pets }) => pets.create({ name: 'Rex', categoryId: 1 }));
    await database.compactInventory();
    await database.sequenceEvents();
    await database.write(BY_TEST, async ({ usage, idempotencyRecords, events }) => {
      await usage.deleteDaysBefore(1);
      await idempotencyRecords.deleteBefore(1, 10);
      expect(await events.deleteBefore(Number.MAX_SAFE_INTEGER, 100)).toBe(100);
    });
    await database.write(BY_TEST, async ({ webhooks }) => {
      const { id } = await webhooks.add(ENDPOINT);
      await webhooks.addSecret({ endpointId: id, secret: Uint8Array.of(1), createdAt: 0 });
      await webhooks.reseal(1, Uint8Array.of(2));
      await webhooks.endSecrets(id, 1);
      await webhooks.fanOut(id, 9, 0);
      await webhooks.claim(id, 9, 0, 1);
      await webhooks.remove(id);
    });
    await database.write(BY_TEST, ({ orders }) =>
      orders.create({ ...CANCELLED, endedAt: '1970-01-01T00:00:00.000Z' }),
    );
    const deleting = database.write(BY_TEST, ({ orders }) => orders.deleteEndedBefore(1, 10));
    expect(await deleting).toHaveLength(1);
  } finally {
    await database.close();
  }
});

describe('a missing right fails with status 1 and a sentence that names the object', () => {
  test.each<[string, string, readonly string[], string]>([
    [
      'serve',
      'store_export',
      ['serve', '--port', '0'],
      'The role "store_export" lacks the right UPDATE on animal_store.schema_version and ',
    ],
    ['keys', 'store_export', ['keys', 'list'], 'permission denied for table api_keys'],
    ['usage', 'store_import', ['usage', '--all'], 'permission denied for table'],
    ['import', 'store_export', ['import', '-'], 'permission denied to create temporary tables'],
    ['export', 'store_import', ['export'], 'permission denied for table pets'],
  ])('%s', async (_command, role, args, sentence) => {
    const variables = { DATABASE_URL: urlOf(role) };
    expectRefused(await animalStore(args, { variables }), sentence);
  });

  test('serve, for each right of the page', async () => {
    const owner = postgres(urlOf('store_owner'), { max: 1 });
    try {
      for (const [right, table] of [
        ['DELETE', 'pets'],
        ['INSERT', 'category_counts'],
        ['DELETE', 'category_counts'],
        ['UPDATE', 'daily_usage'],
      ]) {
        await owner.unsafe(`REVOKE ${right} ON animal_store.${table} FROM store_service`);
        const opened = openPostgres(urlOf('store_service'), { checkService: () => {} });
        await expect(opened).rejects.toThrow(
          `The role "store_service" lacks the right ${right} on animal_store.${table}: `,
        );
        await owner.unsafe(`GRANT ${right} ON animal_store.${table} TO store_service`);
      }
    } finally {
      await owner.end();
    }
  });

  test('a copy into tables of another role, before a row is copied', async () => {
    await animalStore(['keys', 'create', '--name', 'a'], {
      variables: { DATABASE_URL: place.file('a.db') },
    });
    const args = ['copy', '--from', place.file('a.db'), '--to', urlOf('store_copy')];
    const { status, stderr } = await animalStore(args);
    expect(status).toBe(1);
    expect(stderr).toContain('The role "store_copy" does not own the tables');
  });
});
