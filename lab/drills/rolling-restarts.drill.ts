/** Twenty rolling restarts, and twenty replaced workers, under 100,000 requests. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { openScratch } from '../../test/storage/postgres/scratch.ts';
import { inWorkplace } from '../../test/support/process.ts';
import { HAPROXY, type HttpReuse } from './haproxy.ts';
import { rollInstances } from './rolling-restart.ts';
import type { Traffic } from './traffic.ts';
import { replaceWorkers } from './worker-replacements.ts';

const TIMES = 20;
const REQUESTS = 100_000;
const CLIENTS = 24;

const report = (work: string, { requests, acknowledged, failures }: Traffic): void => {
  const failed = JSON.stringify(Object.fromEntries(failures));
  console.log(
    `${work}: ${requests} requests, ${acknowledged.size} animals added, failed ${failed}`,
  );
};

async function roll(database: string, reuse: HttpReuse, restarts: number, requests: number) {
  const options = { database, reuse, restarts, requests, clients: CLIENTS, delay: '2s' };
  const { traffic, rounds, statuses } = await rollInstances(options);
  report(`${rounds} rolling restarts, http-reuse ${reuse}`, traffic);
  expect(Object.fromEntries(traffic.failures)).toEqual({});
  expect(await traffic.differences(database)).toEqual([]);
  expect([...statuses]).toEqual([0]);
}

const needsHaproxy = (title: string) => `${title} (needs the Debian package haproxy)`;

test.skipIf(HAPROXY === null)(
  needsHaproxy(`${TIMES} rolling restarts on PostgreSQL fail none of ${REQUESTS} requests`),
  async () => {
    await using scratch = await openScratch();
    await roll(scratch.url, 'safe', TIMES, REQUESTS);
  },
);

test.skipIf(HAPROXY === null)(
  needsHaproxy(`${TIMES} rolling restarts on one SQLite file fail none of ${REQUESTS} requests`),
  inWorkplace(({ database }) => roll(database, 'safe', TIMES, REQUESTS)),
);

test.skipIf(HAPROXY === null).each(['never', 'aggressive', 'always'] as const)(
  needsHaproxy('rolling restarts fail no request with http-reuse %s'),
  (reuse) => inWorkplace(({ database }) => roll(database, reuse, 4, 0))(),
);

test(
  `${TIMES} replaced workers fail none of ${REQUESTS} requests on persistent connections`,
  inWorkplace(async ({ database }) => {
    const options = { database, clients: CLIENTS, replacements: TIMES, requests: REQUESTS };
    const { traffic, replaced, status } = await replaceWorkers({ ...options, fresh: false });
    report(`${replaced} replaced workers, persistent connections`, traffic);
    expect(Object.fromEntries(traffic.failures)).toEqual({});
    expect(await traffic.differences(database)).toEqual([]);
    expect(status).toBe(0);
  }),
);

/** Whether the kernel passes the connections that wait for a closed listener to another one of the same port. */
const migratesConnections = (): boolean => {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1';
  } catch {
    return false; // Linux before 5.14, or another system.
  }
};

test(
  `${TIMES} replaced workers lose nothing that was acknowledged on connections of one request`,
  inWorkplace(async ({ database }) => {
    const { traffic, replaced, status } = await replaceWorkers({
      database,
      clients: CLIENTS,
      replacements: TIMES,
      fresh: true,
    });
    const migrates = migratesConnections();
    report(`${replaced} replaced workers, a connection for each request`, traffic);
    console.log(`net.ipv4.tcp_migrate_req is ${migrates ? 'on' : 'off'}`);
    // Without it, closing a listener resets the connections that wait for it.
    if (migrates) expect(Object.fromEntries(traffic.failures)).toEqual({});
    expect(await traffic.differences(database)).toEqual([]);
    expect(status).toBe(0);
  }),
);
