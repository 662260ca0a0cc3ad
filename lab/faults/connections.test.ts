/** The engine with failing connections, and with a read-only server. */
import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import postgres from 'postgres';
import type { Database } from '../../src/storage/database.ts';
import { Connection } from '../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../src/storage/postgres/connections/deadline.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../test/support/cause.ts';
import { type Forwarder, startForwarder } from '../../test/support/forwarder.ts';
import { ascending } from '../../test/support/list-query.ts';
import { sharedPostgres } from '../../test/support/postgres-server.ts';
import { until } from '../../test/support/process.ts';

const addAnimal = (database: Database): Promise<unknown> =>
  database.write(BY_TEST, ({ pets }) => pets.create({ name: 'Rex', categoryId: 1 }));

/** A list that is not batched. */
const listAnimals = async (database: Database): Promise<unknown> =>
  database.read.pets.list(ascending({ id: [1] }), undefined, 1);

const nineTimes = <T>(work: () => Promise<T>): Promise<T>[] => Array.from({ length: 9 }, work);

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { failure?: string }) => error.failure ?? String(error),
  );

interface Catalogue {
  readonly database: Database;
  readonly forwarder: Forwarder;
  /** A connection of the superuser to the same database. */
  readonly administrator: postgres.Sql;
  /** The role of the engine. */
  readonly role: string;
}

/** Runs `work` with a catalogue behind a forwarder, in its own database. */
async function withCatalogue(
  timeoutMs: number,
  work: (catalogue: Catalogue) => Promise<void>,
): Promise<void> {
  const server = await sharedPostgres();
  const name = await server.createDatabase();
  const role = `role_of_${name}`;
  await server.sql.unsafe(`CREATE ROLE ${role} LOGIN`);
  await server.sql.unsafe(`GRANT CREATE ON DATABASE ${name} TO ${role}`);
  const forwarder = await startForwarder(server);
  const administrator = postgres(server.url(name), { max: 1, onnotice: () => {} });
  const url = server.url(name, { port: forwarder.port, user: role });
  const database = await openPostgres(url, { connections: 6, timeoutMs });
  try {
    await work({ database, forwarder, administrator, role });
  } finally {
    await database.close();
    await administrator.end();
    await forwarder.close();
    await server.dropDatabase(name);
    await server.sql.unsafe(`DROP ROLE ${role}`);
  }
}

test('a connection that is closed before use is not reopened', async () => {
  let opened = 0;
  const closing = createServer((client) => {
    opened += 1;
    client.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const { port } = closing.address() as AddressInfo;
  const connection = new Connection({
    url: `postgres://nobody@127.0.0.1:${port}/none?sslmode=disable`,
    prepared: true,
    serverTimeoutMs: undefined,
  });
  const query = connection.query('SELECT 1', [], deadlineIn(10_000));
  expect(query).rejects.toThrow('The connection was closed.');
  await query.catch(() => {});
  expect({ opened, isOpen: connection.isOpen }).toEqual({ opened: 1, isOpen: false });
  closing.close();
});

test('the server detects a dead client within three minutes', async () => {
  const { url } = await sharedPostgres();
  const connection = new Connection({ url: url(), prepared: true, serverTimeoutMs: undefined });
  const deadline = deadlineIn(10_000);
  const seconds = async (setting: string): Promise<number> => {
    const text = `SELECT setting::bigint AS setting FROM pg_settings WHERE name = '${setting}'`;
    const [row] = await connection.query<{ setting: number }>(text, [], deadline);
    return row?.setting ?? Number.NaN;
  };
  const [idle, interval, count] = await Promise.all(
    ['idle', 'interval', 'count'].map((name) => seconds(`tcp_keepalives_${name}`)),
  );
  connection.destroy();
  expect((idle ?? 0) + (interval ?? 0) * (count ?? 0)).toBeWithin(1, 180);
});

test('idle connections that died silently cause one failed read and one failed write', () =>
  withCatalogue(3_000, async ({ database, forwarder }) => {
    await Promise.all(nineTimes(() => listAnimals(database)));
    await Promise.all(nineTimes(() => addAnimal(database)));
    expect(forwarder.connections).toBe(6);
    forwarder.blackhole(true);
    forwarder.blackhole(false);
    for (const work of [listAnimals, addAnimal]) {
      expect(await outcomeOf(work(database))).toBe('unavailable');
      for (let count = 0; count < 3; count += 1) {
        expect(await outcomeOf(work(database))).toBe('done');
      }
    }
    await database.checkHealth();
  }));

test('the server cancels statements that waited for a lock until the timeout', () =>
  withCatalogue(3_000, async ({ database, administrator }) => {
    const waiting = async (): Promise<number> => {
      const rows = await administrator`SELECT 1 FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return rows.length;
    };
    await administrator`BEGIN`;
    await administrator`LOCK TABLE animal_store.pets IN SHARE MODE`;
    // Three have a connection. The others get one shortly before their deadline.
    const outcomes = nineTimes(() => outcomeOf(addAnimal(database)));
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['unavailable']));
    await until(async () => (await waiting()) === 0);
    await administrator`COMMIT`;
    expect(await outcomeOf(addAnimal(database))).toBe('done');
  }));

test('writes and readiness follow the default_transaction_read_only of the role', () =>
  withCatalogue(3_000, async ({ database, forwarder, administrator, role }) => {
    await Promise.all(nineTimes(() => addAnimal(database)));
    await administrator.unsafe(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    forwarder.cut();
    expect(await outcomeOf(listAnimals(database))).toBe('done');
    expect(await outcomeOf(addAnimal(database))).toBe('unavailable');
    expect(await outcomeOf(Promise.resolve(database.checkHealth()))).toBe('unavailable');
    await administrator.unsafe(`ALTER ROLE ${role} RESET default_transaction_read_only`);
    await database.checkHealth();
    expect(await outcomeOf(addAnimal(database))).toBe('done');
  }));

test('simultaneous readiness checks use one connection', () =>
  withCatalogue(20_000, async ({ database, forwarder }) => {
    await Promise.all(nineTimes(async () => database.checkHealth()));
    expect(forwarder.connections).toBe(1);
  }));
