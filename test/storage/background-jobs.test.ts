import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type { IdempotencyScope } from '../../src/idempotency/idempotency-record-store.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { UsageCounter } from '../../src/observe/usage.ts';
import { startBackgroundJobs } from '../../src/server/background-jobs.ts';
import { type Database, StorageError } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { until } from '../support/process.ts';
import type { TestStorage } from '../support/test-storage.ts';
import { newKey } from './new-key.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(ENGINES)('background jobs on $name', ({ name, open }) => {
  let storage: TestStorage;
  let keyId: number;
  let now: number;
  let finish: () => Promise<void>;
  let failures: () => ReadonlyMap<string, number>;
  const jobs: { readonly intervalMs: number; readonly run: () => void }[] = [];
  const writes: Promise<unknown>[] = [];
  const observed: Observation[] = [];
  const expected: Observation[] = [];
  /** While set, every write fails with it. */
  let failure: StorageError | undefined;
  /** The operations whose calls are stored. */
  let stored: string[];
  let orderRetentionMs: number;
  let eventRetentionMs: number;
  beforeEach(async () => {
    storage = await open();
    now = NOON;
    finish = async () => {};
    for (const list of [jobs, writes, observed, expected]) list.length = 0;
    failure = undefined;
    stored = [];
    orderRetentionMs = Number.POSITIVE_INFINITY;
    eventRetentionMs = Number.POSITIVE_INFINITY;
    ({ id: keyId } = await storage.database.write(BY_TEST, ({ apiKeys }) =>
      apiKeys.create(newKey('till')),
    ));
  });
  afterEach(async () => {
    await finish();
    await storage.remove();
  });
  test('a stop leaves no event without its position', async () => {
    start();
    await finish();
    const listed = await storage.database.read.events.list(EVERY, undefined, 10, true);
    expect(listed).toMatchObject([{ type: 'api_key.created' }]);
  });
  // When the others run does not depend on the engine. What they delete is in the tests of each store.
  if (name !== 'SQLite') return;

  /** Starts the jobs on the real database, with timers and a clock that the test controls. */
  function start(): UsageCounter {
    const { database } = storage;
    const usage = new UsageCounter(async (counted) => {
      await database.write(BY_TEST, (stores) => stores.usage.add(counted));
      stored.push(...counted.map(({ operationId }) => operationId));
    });
    const addJob = (run: () => void, intervalMs: number) => void jobs.push({ intervalMs, run });
    const timers = spyOn(globalThis, 'setInterval').mockImplementation(addJob as never);
    const watched: Database = {
      ...database,
      write(...args) {
        const written = failure ? Promise.reject(failure) : database.write(...args);
        writes.push(written.catch(() => undefined));
        return written;
      },
    };
    ({ stop: finish, failures } = startBackgroundJobs({
      database: watched,
      usage,
      clock: { now: () => now },
      observe: (observation) => observed.push(observation),
      orderRetentionMs,
      eventRetentionMs,
    }));
    timers.mockRestore();
    return usage;
  }

  /** Advances the clock by an hour and runs the jobs with an interval of an hour or less. */
  async function passHour(): Promise<void> {
    now += HOUR_MS;
    for (const { intervalMs, run } of jobs) if (intervalMs <= HOUR_MS) run();
    await settled();
  }

  /** Waits until no job writes. */
  async function settled(): Promise<void> {
    for (let seen = -1; seen !== writes.length; ) {
      seen = writes.length;
      await Promise.all(writes);
      await Bun.sleep(0);
    }
    expect(observed).toEqual(expected);
  }

  const scopeOf = (idempotencyKey: string): IdempotencyScope => ({
    keyId,
    operation: 'POST /v1/pets',
    idempotencyKey,
  });

  const save = (names: readonly string[], savedAt: number) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) => {
      const kept = { response: new Uint8Array(1), savedAt };
      for (const name of names)
        idempotencyRecords.save(scopeOf(name), { ...kept, fingerprint: hashKey(name) });
    });

  const remaining = (names: readonly string[]) =>
    storage.database.write(BY_TEST, ({ idempotencyRecords }) =>
      names.filter((name) => idempotencyRecords.find(scopeOf(name)) !== undefined),
    );

  test('delete the idempotency records older than a day at startup and every hour, however many, and no others', async () => {
    const old = Array.from({ length: 1_100 }, (_, index) => `old ${index}`);
    await save(old, NOON - DAY_MS - 1);
    await save(['a day'], NOON - DAY_MS);
    await save(['new'], NOON);
    start();
    await settled();
    expect(await remaining([...old, 'a day', 'new'])).toEqual(['a day', 'new']);
    await passHour();
    expect(await remaining(['a day', 'new'])).toEqual(['new']);
    // Of all jobs, in milliseconds.
    const intervals = [200, 1_000, 1_000, 10_000, 600_000, 600_000, HOUR_MS, HOUR_MS];
    expect(jobs.map(({ intervalMs }) => intervalMs).sort((a, b) => a - b)).toEqual(intervals);
  });

  test('delete the usage of days before the last 30 at startup and after midnight, and no total of a key', async () => {
    const usage = [0, 29, 30, 400].map((daysAgo) => ({
      ...{ keyId, operationId: `of ${daysAgo}`, calls: 1, lastCalledAt: NOON - daysAgo * DAY_MS },
    }));
    await storage.database.write(BY_TEST, (stores) => stores.usage.add(usage));
    start();
    await settled();
    // Otherwise a cached usage has days that are gone.
    expect(storage.database.changesOf(['usage'])).toBeGreaterThan(0);
    const { read } = storage.database;
    const daysAgo = async () =>
      (await read.usage.listDays(0)).map(({ day }) => Math.floor(NOON / DAY_MS) - day);
    expect(await daysAgo()).toEqual([0, 29]);
    now += 11 * HOUR_MS;
    await passHour();
    expect(await daysAgo()).toEqual([0]);
    expect(await read.usage.list()).toHaveLength(4);
  });

  test('delete the orders that ended longer ago than the retention, every ten minutes and not at the start', async () => {
    orderRetentionMs = DAY_MS;
    const createdAt = new Date(NOON).toISOString();
    const endedAt = new Date(NOON - DAY_MS - 1).toISOString();
    await storage.database.write(BY_TEST, ({ orders }) =>
      orders.create({ petId: 1, status: 'delivered', createdAt, endedAt }),
    );
    const count = async () =>
      (await storage.database.read.orders.list({ filters: {}, sort: 'id' }, undefined, 9)).length;
    start();
    await settled();
    expect(await count()).toBe(1);
    const [job] = jobs.filter(({ intervalMs }) => intervalMs === 10 * 60_000);
    expected.push({ kind: 'orders_deleted', count: 1 });
    job?.run();
    while (observed.length === 0) await Bun.sleep(1);
    await settled();
    expect(await count()).toBe(0);
  });

  test('store the counted calls every ten seconds', async () => {
    start().count(keyId, 'getPet', NOON);
    await settled();
    expect(stored).toEqual([]);
    for (const { intervalMs, run } of jobs) if (intervalMs === 10_000) run();
    while (stored.length === 0) await Bun.sleep(1);
    expect(stored).toEqual(['getPet']);
  });

  test('have stored all counted calls when they have stopped', async () => {
    start().count(keyId, 'getPet', NOON);
    await settled();
    expect(stored).toEqual([]);
    await finish();
    expect(stored).toEqual(['getPet']);
  });

  test('report a failure, count those in a row, and succeed the next time', async () => {
    start();
    await settled();
    failure = new StorageError('unavailable', 'The server is gone.');
    const ofRecords = () => failures().get('delete-idempotency-records');
    for (const expectedFailures of [1, 2]) {
      expected.push(...Array(2).fill({ kind: 'background_job_failed', error: failure }));
      await passHour();
      expect(ofRecords()).toBe(expectedFailures);
    }
    await until(() => failures().get('expire-orders') === 0); // Its first run may end later.
    failure = undefined;
    await passHour();
    expect(ofRecords()).toBe(0);
  });
});
