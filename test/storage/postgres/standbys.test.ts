import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { type Forwarder, startForwarder } from '../../support/forwarder.ts';
import { EVERY } from '../../support/list-query.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { readAll, rex } from '../animals.ts';
import { openMigratedScratch } from './scratch.ts';

/** A server, and a forwarder in front of it that counts the bytes sent to clients. */
interface Watched {
  readonly server: PostgresServer;
  readonly forwarder: Forwarder;
  bytes: number;
}
type Standby = Awaited<ReturnType<PostgresServer['startStandby']>>;
type WatchedStandby = Watched & { readonly server: Standby };

async function watch<T extends PostgresServer>(server: T): Promise<Watched & { server: T }> {
  let bytes = 0;
  const forwarder = await startForwarder(server, {
    onBytes(direction, chunk) {
      if (direction === 'to client') bytes += chunk.length;
    },
  });
  return {
    server,
    forwarder,
    get bytes() {
      return bytes;
    },
    set bytes(count) {
      bytes = count;
    },
  };
}

let primary: Watched;
let standbys: readonly [WatchedStandby, WatchedStandby];

beforeAll(async () => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } });
  const both = [
    await server.startStandby({ name: 'one' }),
    await server.startStandby({ name: 'two' }),
  ] as const;
  primary = await watch(server);
  standbys = [await watch(both[0]), await watch(both[1])];
});
afterAll(async () => {
  for (const { server, forwarder } of [...standbys, primary]) {
    await forwarder.close();
    await server.remove();
  }
});

const scratch = useEach(() => openMigratedScratch(primary.server));

const urlOf = ({ server, forwarder }: Watched) =>
  server.url(scratch.name, { port: forwarder.port });

/** An instance that reads from these standbys. */
const open = (...standbys: readonly Watched[]): Promise<Database> =>
  scratch.open({ connections: 4, standbyUrls: standbys.map(urlOf) }, urlOf(primary));

const COUNT = 100;
const LONG_NAME = 'x'.repeat(255);

/** The size of a result with all animals. */
let pageBytes = 0;

/** Adds so many animals that a result is recognizable by its size. */
async function fill(database: Database): Promise<void> {
  await importPets(database, Array(COUNT).fill(rex({ name: LONG_NAME })));
  const alone = await open();
  await readPage(alone);
  primary.bytes = 0;
  await readPage(alone);
  pageBytes = primary.bytes;
  await alone.close();
  await caughtUp();
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

describe('reads', () => {
  test('use all standbys in turn, and not the primary', async () => {
    const database = await open(...standbys);
    await fill(database);
    await untilShared(database, 20, [0, 10, 10], primary, ...standbys);
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

  test('see earlier writes of both instances', async () => {
    await expectReadYourWrites(...(await openTwo()), 10);
  });

  test('see them while a standby is paused', async () => {
    const [here, there] = await openTwo();
    await whilePaused(standbys[0], () => expectReadYourWrites(here, there, 5));
  });

  test('see them while all standbys are paused', async () => {
    const [here, there] = await openTwo();
    const paused = () => whilePaused(standbys[1], () => expectReadYourWrites(here, there, 5));
    await whilePaused(standbys[0], paused);
  });

  test('see them with synchronous_commit off', async () => {
    const name = scratch.sql(scratch.name);
    await scratch.sql`ALTER DATABASE ${name} SET synchronous_commit = off`;
    await expectReadYourWrites(...(await openTwo()), 10);
  });
});

describe('a standby', () => {
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
    await whilePaused(standbys[0], async () => {
      const database = await open(standbys[0]);
      await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
      for (let read = 0; read < 5; read += 1) expect(await readAll(database)).toHaveLength(1);
    });
    const database = await open(standbys[0]);
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
    const [, fromOther] = await pagesOf(database, 20, standbys[0], standbys[1]);
    expect(fromOther).toBeGreaterThan(0);
    await standbys[0].server.restart();
    await untilRead(database, standbys[0]);
  });

  test('that is killed is replaced by the primary if there is no other', async () => {
    const database = await open(standbys[0]);
    await fill(database);
    await pagesOf(database, 2);
    await standbys[0].server.kill();
    expect(await pagesOf(database, 20, primary)).toEqual([20]);
    await standbys[0].server.restart();
    await untilRead(database, standbys[0]);
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
