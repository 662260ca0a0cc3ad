/** How the engine itself deals with connections that fail, and with a server that only reads. */
import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Database } from '../../src/storage/database.ts';
import { Connection } from '../../src/storage/postgres/connections/connection.ts';
import { deadlineIn } from '../../src/storage/postgres/connections/deadline.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { sharedPostgres } from '../support/postgres-server.ts';

const addAnimal = (database: Database): Promise<unknown> =>
  database.write(({ pets }) => pets.create({ name: 'Rex', categoryId: 1 }));

/** A list that is not read together with others. */
const listAnimals = async (database: Database): Promise<unknown> =>
  database.read.pets.list({ id: [1] }, undefined, 1);

const nineTimes = <T>(work: () => Promise<T>): Promise<T>[] => Array.from({ length: 9 }, work);

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { failure?: string }) => error.failure ?? String(error),
  );

interface Opened {
  readonly database: Database;
  readonly forwarder: Forwarder;
  /** The server's administrator, in the same database. */
  readonly administrator: postgres.Sql;
  /** A role of its own, which the engine connects as. */
  readonly role: string;
}

/** A catalogue behind a forwarder, in a database of its own, removed afterwards whatever happens. */
async function opened(timeoutMs: number, work: (opened: Opened) => Promise<void>): Promise<void> {
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

test('a connection that is closed before it can be used is not made again and again', async () => {
  let made = 0;
  const closing = createServer((client) => {
    made += 1;
    client.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const { port } = closing.address() as AddressInfo;
  const connection = new Connection({
    url: `postgres://nobody@127.0.0.1:${port}/none`,
    prepared: true,
    serverTimeoutMs: undefined,
  });
  const query = connection.query('SELECT 1', [], deadlineIn(10_000));
  expect(query).rejects.toThrow('The connection was closed.');
  await query.catch(() => {});
  expect({ made, isOpen: connection.isOpen }).toEqual({ made: 1, isOpen: false });
  closing.close();
});

test('the server is to find out within minutes that a client is gone of which it heard nothing', async () => {
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

test('of connections that died unnoticed while nobody used them, one read and one write learn, not one for each', () =>
  opened(500, async ({ database, forwarder }) => {
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
    await database.ping();
  }));

test('what was given up while it waited for a lock is given up by the server, too', () =>
  opened(3_000, async ({ database, administrator }) => {
    const waiting = async (): Promise<number> => {
      const rows = await administrator`SELECT 1 FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return rows.length;
    };
    await administrator`BEGIN`;
    await administrator`LOCK TABLE animal_store.pets IN SHARE MODE`;
    // Three at once have a connection; the others get one when there is hardly any time left.
    const outcomes = nineTimes(() => outcomeOf(addAnimal(database)));
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['unavailable']));
    await sleep(500);
    expect(await waiting()).toBe(0);
    await administrator`COMMIT`;
    expect(await outcomeOf(addAnimal(database))).toBe('done');
  }));

test('a role that may only read by default is not overruled, and the database is ready again as soon as it may write', () =>
  opened(500, async ({ database, forwarder, administrator, role }) => {
    await Promise.all(nineTimes(() => addAnimal(database)));
    await administrator.unsafe(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    forwarder.cut();
    expect(await outcomeOf(listAnimals(database))).toBe('done');
    expect(await outcomeOf(addAnimal(database))).toBe('unavailable');
    expect(await outcomeOf(Promise.resolve(database.ping()))).toBe('unavailable');
    await administrator.unsafe(`ALTER ROLE ${role} RESET default_transaction_read_only`);
    await database.ping();
    expect(await outcomeOf(addAnimal(database))).toBe('done');
  }));

test('who asks whether the database is ready takes one connection, however many ask at once', () =>
  opened(3_000, async ({ database, forwarder }) => {
    await Promise.all(nineTimes(async () => database.ping()));
    expect(forwarder.connections).toBe(1);
  }));
