/** The log says which standby no read uses, why, and when one uses it again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Observation } from '../../../src/observe/observation.ts';
import { BY_TEST } from '../../support/cause.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { EVERY } from '../../support/list-query.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
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

/** Longer than the time after which a standby counts as used again. */
const STABLE_MS = 3_500;

/** Loses a standby, and gives it back. */
async function lose(server: PostgresServer) {
  const observed: Observation[] = [];
  const forwarder = await startForwarder(server);
  const url = server.url(scratch.name, { port: forwarder.port });
  const database = await scratch.open({
    connections: 4,
    standbyUrls: [url.replace('postgres@', 'postgres:sw0rdfish@')],
    observe: (observation) => observed.push(observation),
  });
  const read = () => database.read.pets.list(EVERY, undefined, 10);
  await read();
  expect(observed).toEqual([]);

  forwarder.refuse(true);
  forwarder.cut();
  for (let time = 0; time < 30; time += 1) {
    expect(await read()).toHaveLength(1);
    await Bun.sleep(50);
  }
  expect(observed).toEqual([
    { kind: 'standby_left_out', database: url, reason: expect.stringMatching(/./) },
  ]);

  forwarder.refuse(false);
  await Bun.sleep(STABLE_MS);
  await until(async () => {
    await read();
    return observed.length > 1;
  });
  expect(observed.slice(1)).toEqual([
    { kind: 'standby_used_again', database: url, unavailableSeconds: expect.any(Number) },
  ]);
  await database.close();
  await forwarder.close();
}

test('a standby, or a node that is the primary, that is lost and comes back has one line for each, without its password', async () => {
  const database = await scratch.open();
  await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
  await standby.catchUp();
  await Promise.all([standby, primary].map(lose));
});

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

test('a standby that lags is left out for that reason', async () => {
  const observed: Observation[] = [];
  const database = await scratch.open({
    connections: 4,
    standbyUrls: [standby.url(scratch.name)],
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
