import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Observation } from '../../../src/observe/observation.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { Value } from '../../../src/storage/postgres/connections/connection.ts';
import { type Deadline, deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { SharedPool } from '../../../src/storage/postgres/connections/pools.ts';
import {
  lineageOf,
  type Position,
  Standby,
} from '../../../src/storage/postgres/connections/standby.ts';
import { ReadRouter } from '../../../src/storage/postgres/transactions/read-router.ts';
import { importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { type Forwarder, startForwarder } from '../../support/forwarder.ts';
import { EVERY } from '../../support/list-query.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { readAll, rex } from '../animals.ts';
import { gate, openMigratedScratch, openScratch, useScratch } from './scratch.ts';

/** A server, and a forwarder in front of it that counts the bytes sent to clients. */
interface Watched {
  readonly server: PostgresServer;
  readonly forwarder: Forwarder;
  bytes: number;
}
type StandbyServer = Awaited<ReturnType<PostgresServer['startStandby']>>;
type WatchedStandby = Watched & { readonly server: StandbyServer };

async function watch<T extends PostgresServer>(server: T): Promise<Watched & { server: T }> {
  const forwarder = await startForwarder(server, {
    onBytes(direction, chunk) {
      if (direction === 'to client') watched.bytes += chunk.length;
    },
  });
  const watched = { server, forwarder, bytes: 0 };
  return watched;
}

let primary: Watched;
let standbys: readonly [WatchedStandby, WatchedStandby];

beforeAll(async () => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } });
  primary = await watch(server);
  standbys = [
    await watch(await server.startStandby({ name: 'one' })),
    await watch(await server.startStandby({ name: 'two' })),
  ];
});
const scratch = useScratch(async () => {
  const opened = await openMigratedScratch(primary.server);
  await caughtUp();
  return opened;
});
afterAll(async () => {
  for (const { server, forwarder } of [...standbys, primary]) {
    await forwarder.close();
    await server.remove();
  }
});

const urlOf = ({ server, forwarder }: Watched, { name } = scratch) =>
  server.url(name, { port: forwarder.port });

/** An instance that reads from these standbys. */
const open = (...standbys: readonly Watched[]): Promise<Database> =>
  scratch.open({ connections: 4, standbyUrls: standbys.map((one) => urlOf(one)) }, urlOf(primary));

const COUNT = 100;
const LONG_NAME = 'x'.repeat(255);

/** The size of a result with all animals. */
let pageBytes = 0;

/** Adds so many animals that a result is recognizable by its size. */
async function fill(database: Database): Promise<void> {
  await importPets(database, Array(COUNT).fill(rex({ name: LONG_NAME })));
  if (pageBytes === 0) await measurePage();
  await caughtUp();
}

/** It is the same in all tests. */
async function measurePage(): Promise<void> {
  const alone = await open();
  await readPage(alone);
  primary.bytes = 0;
  await readPage(alone);
  pageBytes = primary.bytes;
  await alone.close();
}

const caughtUp = () => Promise.all(standbys.map(({ server }) => server.catchUp()));

/** Opens two instances, and waits until the standbys have their tables. */
async function openTwo(): Promise<[Database, Database]> {
  const two: [Database, Database] = [await open(...standbys), await open(...standbys)];
  await caughtUp();
  return two;
}

const readPage = async (database: Database): Promise<void> => {
  expect(await database.read.pets.list(EVERY, undefined, COUNT)).toHaveLength(COUNT);
};

/** The number of pages that each server sent while `count` were read. */
async function pagesOf(database: Database, count: number, ...of: readonly Watched[]) {
  for (const watched of of) watched.bytes = 0;
  for (let read = 0; read < count; read += 1) await readPage(database);
  return of.map(({ bytes }) => Math.round(bytes / pageBytes));
}

/** Resolves when `count` reads are distributed as expected. It repeats them because a standby may lag a little. */
const untilShared = (
  database: Database,
  count: number,
  pages: readonly number[],
  ...of: readonly Watched[]
) => until(async () => Bun.deepEquals(await pagesOf(database, count, ...of), pages));

const untilRead = (database: Database, from: Watched) =>
  until(async () => (await pagesOf(database, 2, from))[0] !== 0);

/** Pauses the replay of a standby during `work`. */
async function whilePaused({ server }: WatchedStandby, work: () => Promise<void>): Promise<void> {
  await server.sql`SELECT pg_wal_replay_pause()`;
  await until(async () => {
    const [row] = await server.sql`SELECT pg_get_wal_replay_pause_state() AS state`;
    return row?.['state'] === 'paused';
  });
  try {
    await work();
  } finally {
    await server.sql`SELECT pg_wal_replay_resume()`;
    await server.catchUp();
  }
}

/** Adds animals, and reads each through both instances directly after the write. */
async function expectReadYourWrites(here: Database, there: Database, count: number): Promise<void> {
  for (let written = 1; written <= count; written += 1) {
    const pet = await here.write(BY_TEST, ({ pets }) =>
      pets.create(rex({ name: `Rex ${written}` })),
    );
    const seen = await Promise.all([there, here].map((one) => one.read.pets.get(pet.id)));
    expect(seen).toEqual([pet, pet]);
    expect(await readAll(there)).toHaveLength(written);
  }
}

/** A pool whose first result is on its way until `deliver` is called. */
class SlowPool extends SharedPool {
  readonly #sent = gate();
  readonly #delivered = gate();
  /** Resolves when the server has sent the first result. */
  readonly sent = this.#sent.opened;
  readonly deliver = this.#delivered.open;

  override async query<Row>(text: string, values: readonly Value[], deadline: Deadline) {
    const rows = await super.query<Row>(text, values, deadline);
    this.#sent.open();
    await this.#delivered.opened;
    return rows;
  }
}

describe('reads', () => {
  test('use all standbys in turn, and not the primary', async () => {
    const database = await open(...standbys);
    await fill(database);
    await untilShared(database, 20, [0, 10, 10], primary, ...standbys);
    const measured = database.measure().pools?.map(({ name, limit }) => `${name} ${limit}`);
    expect(measured?.slice(2)).toEqual(['standby 1 4', 'standby 2 4']);
  });

  test('that arrive simultaneously share one query for the WAL position', async () => {
    const database = await open(...standbys);
    await fill(database);
    await Promise.all(Array.from({ length: 20 }, () => readPage(database)));
    await until(async () => {
      primary.bytes = 0;
      await readPage(database);
      const bytesOfOne = primary.bytes;
      await Promise.all(Array.from({ length: 20 }, () => readPage(database)));
      return primary.bytes === 2 * bytesOfOne;
    });
  });

  test('see earlier writes of both instances while all standbys are paused', async () => {
    const [here, there] = await openTwo();
    const paused = () => whilePaused(standbys[1], () => expectReadYourWrites(here, there, 5));
    await whilePaused(standbys[0], paused);
  });

  test('see them with synchronous_commit off', async () => {
    const name = scratch.sql(scratch.name);
    await scratch.sql`ALTER DATABASE ${name} SET synchronous_commit = off`;
    await expectReadYourWrites(...(await openTwo()), 10);
  });

  test('that start after a commit see it, even while an earlier one waits for the WAL position', async () => {
    await scratch.sql`CREATE TABLE public.animals AS SELECT 'old' AS name`;
    await caughtUp();
    const timeoutMs = 15_000;
    const options = { prepared: true, serverTimeoutMs: timeoutMs };
    const standbyUrl = standbys[0].server.url(scratch.name);
    const pool = new SlowPool({ ...options, url: scratch.url }, 2);
    const standbyPool = new SharedPool({ ...options, url: standbyUrl }, 2);
    const standby = new Standby(standbyPool, standbyUrl, () => {});
    const router = new ReadRouter(pool, [standby], timeoutMs);
    const readName = async () =>
      (await router.run<{ name: string }>('SELECT name FROM public.animals'))[0]?.name;
    await whilePaused(standbys[0], async () => {
      const earlier = readName();
      await pool.sent;
      await scratch.sql`UPDATE public.animals SET name = 'new'`;
      const later = readName();
      pool.deliver();
      expect(await later).toBe('new');
      await earlier;
    });
    await Promise.all([pool, standbyPool].map((one) => one.end(deadlineIn(timeoutMs))));
    await scratch.sql`DROP TABLE public.animals`;
  });
});

describe('a standby', () => {
  test('that has another database is not used, nor is its primary', async () => {
    await using other = await openMigratedScratch(primary.server);
    for (const { server } of [standbys[0], primary]) {
      const database = await scratch.open({ standbyUrls: [server.url(other.name)] });
      await (await other.open()).write(BY_TEST, ({ pets }) => pets.create(rex()));
      await caughtUp();
      expect(await readAll(database)).toEqual([]);
    }
  });

  test('that lags is not used for a while, and used again when it has caught up', async () => {
    const database = await open(standbys[0]);
    await fill(database);
    await whilePaused(standbys[0], async () => {
      await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
      const [fromPrimary, fromStandby] = await pagesOf(database, 20, primary, standbys[0]);
      expect(fromPrimary).toBe(20);
      expect(fromStandby).toBeLessThan(20);
    });
    await untilRead(database, standbys[0]);
    await untilShared(database, 10, [0, 10], primary, standbys[0]);
  });

  test('without the tables is not used, and used later', async () => {
    await using own = await openScratch(primary.server);
    await caughtUp();
    const standbyUrls = [urlOf(standbys[0], own)];
    await whilePaused(standbys[0], async () => {
      const database = await own.open({ standbyUrls });
      await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
      for (let read = 0; read < 5; read += 1) expect(await readAll(database)).toHaveLength(1);
    });
    const database = await own.open({ standbyUrls });
    await fill(database);
    await untilRead(database, standbys[0]);
  });

  test('that is killed causes no failed read, and is used again after its restart', async () => {
    const database = await open(...standbys);
    await fill(database);
    await pagesOf(database, 4);
    const reading = Promise.all(
      Array.from({ length: 100 }, (_, read) => Bun.sleep(read).then(() => readPage(database))),
    );
    await standbys[0].server.kill();
    await reading;
    await untilRead(database, standbys[1]);
    await standbys[0].server.restart();
    await untilRead(database, standbys[0]);
  });

  test('refuses a write as read-only, even if it does not respond any more', async () => {
    await caughtUp();
    const database = await scratch.open({ timeoutMs: 2_000 }, urlOf(standbys[0]));
    const write = database.write(BY_TEST, ({ pets }) =>
      Promise.resolve(pets.create(rex())).finally(() => standbys[0].forwarder.blackhole(true)),
    );
    await expect(write).rejects.toThrow('in a read-only transaction');
    standbys[0].forwarder.blackhole(false);
  });

  test('that does not respond causes no failed read', async () => {
    const database = await open(standbys[0]);
    await fill(database);
    await pagesOf(database, 2);
    standbys[0].forwarder.blackhole(true);
    expect(await pagesOf(database, 5, primary)).toEqual([5]);
    standbys[0].forwarder.blackhole(false);
    standbys[0].forwarder.cut();
    await untilRead(database, standbys[0]);
  });
});

describe('the log says which standby no read uses, why, and when one uses it again:', () => {
  test('a node that is the primary is asked once a second at most, and not read from', async () => {
    let bytes = 0;
    const forwarder = await startForwarder(primary.server, {
      onBytes: (direction, chunk) => {
        if (direction === 'to server') bytes += chunk.length;
      },
    });
    const database = await scratch.open({
      connections: 4,
      standbyUrls: [primary.server.url(scratch.name, { port: forwarder.port })],
    });
    const read = () => database.read.pets.list(EVERY, undefined, 10);
    const startMs = performance.now();
    await read();
    const first = bytes;
    expect(first).toBeGreaterThan(0);
    for (let time = 0; time < 100; time += 1) await read();
    const seconds = Math.ceil((performance.now() - startMs) / 1_000);
    expect(bytes).toBeLessThanOrEqual(first * seconds);
    await database.close();
    await forwarder.close();
  });

  test('a standby, or a node that is the primary, is used again three seconds after its last failure, with one line for each', async () => {
    for (const server of [standbys[0].server, primary.server]) {
      const observed: Observation[] = [];
      const options = { url: server.url(scratch.name), prepared: true, serverTimeoutMs: 0 };
      const pool = new SharedPool(options, 1);
      // A standby has one second for a response. A connection may take longer.
      await pool.query('SELECT 1', [], deadlineIn(20_000));
      const one = new Standby(pool, 'one', (observation) => observed.push(observation));
      const [position] = await scratch.sql.unsafe<Position[]>(
        `SELECT '${server === primary.server ? 'FFFFFFFF/0' : '0/0'}' AS lsn, ${lineageOf('left(pg_walfile_name(pg_current_wal_lsn()), 8)')} AS lineage`,
      );
      const startMs = performance.now();
      const now = spyOn(performance, 'now');
      const use = async (ms: number, text: string) => {
        now.mockReturnValue(startMs + ms);
        await one.queryAt(position as Position, text, [], startMs + 60_000);
      };
      await use(0, 'SELECT failing');
      await use(2_000, 'SELECT failing');
      for (const ms of [4_000, 4_999, 5_500, 6_000]) await use(ms, 'SELECT 1');
      now.mockRestore();
      expect(observed).toMatchObject([
        { kind: 'standby_left_out', database: 'one', reason: expect.stringContaining('failing') },
        { kind: 'standby_used_again', database: 'one', unavailableSeconds: 5.5 },
      ]);
      await pool.end(deadlineIn(20_000));
    }
  });

  test('a standby that lags is left out for that reason, without its password', async () => {
    const { server } = standbys[0];
    const observed: Observation[] = [];
    const database = await scratch.open({
      connections: 4,
      standbyUrls: [server.url(scratch.name).replace('postgres@', 'postgres:sw0rdfish@')],
      observe: (observation) => observed.push(observation),
    });
    await database.read.pets.list(EVERY, undefined, 10);
    await whilePaused(standbys[0], async () => {
      await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
      await database.read.pets.list(EVERY, undefined, 10);
    });
    expect(observed).toEqual([
      {
        kind: 'standby_left_out',
        database: server.url(scratch.name),
        reason: 'It has not replayed the last commits yet.',
      },
    ]);
  });
});

/** The last one: a standby becomes a primary. */
test('reads do not use a standby that did not follow a promotion, at any WAL position', async () => {
  const [promoted, other] = standbys.map(({ server }) => server) as [StandbyServer, StandbyServer];
  const first = await scratch.open();
  await caughtUp();
  await promoted.stop();
  for (let count = 0; count < 50; count += 1)
    await first.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'lost' })));
  await other.catchUp();
  await first.close();
  await primary.server.kill();
  await promoted.restart();
  await promoted.promote();
  const standbyUrls = [other.url(scratch.name)];
  const database = await scratch.open({ standbyUrls }, promoted.url(scratch.name));
  const pet = await database.write(BY_TEST, ({ pets }) => pets.create(rex({ name: 'stored' })));
  for (let time = 0; time < 10; time += 1) {
    expect(await database.read.pets.get(pet.id)).toEqual(pet);
    expect(await readAll(database)).toEqual([pet]);
  }
  await primary.server.restart();
});
