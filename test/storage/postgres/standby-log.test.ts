/** The log says which standby no read uses, why, and when one uses it again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import type { Observation } from '../../../src/observe/observation.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { SharedPool } from '../../../src/storage/postgres/connections/pools.ts';
import {
  lineageOf,
  type Position,
  Standby,
} from '../../../src/storage/postgres/connections/standby.ts';
import { BY_TEST } from '../../support/cause.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { EVERY } from '../../support/list-query.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { rex } from '../animals.ts';
import { openMigratedScratch, type Scratch } from './scratch.ts';

let primary: PostgresServer;
let standby: Awaited<ReturnType<PostgresServer['startStandby']>>;
let scratch: Scratch;
beforeAll(async () => {
  primary = await startPostgres({ settings: { synchronous_commit: 'on' } });
  standby = await primary.startStandby();
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

beforeEach(async () => {
  scratch = await openMigratedScratch(primary);
  await standby.catchUp();
});
afterEach(() => scratch.remove());

test('a node that is the primary is asked once a second at most, and not read from', async () => {
  let bytes = 0;
  const forwarder = await startForwarder(primary, {
    onBytes: (direction, chunk) => {
      if (direction === 'to server') bytes += chunk.length;
    },
  });
  const database = await scratch.open({
    connections: 4,
    standbyUrls: [primary.url(scratch.name, { port: forwarder.port })],
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
  for (const server of [standby, primary]) {
    const observed: Observation[] = [];
    const options = { url: server.url(scratch.name), prepared: true, serverTimeoutMs: 0 };
    const pool = new SharedPool(options, 1);
    // A standby has one second for a response. A connection may take longer.
    await pool.query('SELECT 1', [], deadlineIn(20_000));
    const one = new Standby(pool, 'one', (observation) => observed.push(observation));
    const [position] = await scratch.sql.unsafe<Position[]>(
      `SELECT '${server === primary ? 'FFFFFFFF/0' : '0/0'}' AS lsn, ${lineageOf('left(pg_walfile_name(pg_current_wal_lsn()), 8)')} AS lineage`,
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
  const observed: Observation[] = [];
  const database = await scratch.open({
    connections: 4,
    standbyUrls: [standby.url(scratch.name).replace('postgres@', 'postgres:sw0rdfish@')],
    observe: (observation) => observed.push(observation),
  });
  await database.read.pets.list(EVERY, undefined, 10);
  await standby.sql`SELECT pg_wal_replay_pause()`;
  try {
    await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    await database.read.pets.list(EVERY, undefined, 10);
    expect(observed).toEqual([
      {
        kind: 'standby_left_out',
        database: standby.url(scratch.name),
        reason: 'It has not replayed the last commits yet.',
      },
    ]);
  } finally {
    await standby.sql`SELECT pg_wal_replay_resume()`;
  }
});
