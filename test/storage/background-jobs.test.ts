import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { hashKey } from '../../src/api-keys/api-key.ts';
import type { IdempotencyScope } from '../../src/idempotency/idempotency-record-store.ts';
import { chain, type MaybePromise } from '../../src/maybe-promise.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { UsageCounter } from '../../src/observe/usage.ts';
import { startBackgroundJobs } from '../../src/server/background-jobs.ts';
import type { Database } from '../../src/storage/database.ts';
import { ENGINES } from '../support/engines.ts';
import type { TestStorage } from '../support/test-storage.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');
const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(ENGINES)('housekeeping on $name', ({ open }) => {
  let storage: TestStorage;
  let keyId: number;
  let now: number;
  let finish: () => Promise<void>;
  /** What is to be done again and again, by its interval in milliseconds. */
  const tasks: { readonly intervalMs: number; readonly run: () => void }[] = [];
  const writes: Promise<unknown>[] = [];
  const observed: Observation[] = [];
  beforeEach(async () => {
    storage = await open();
    now = NOON;
    finish = async () => {};
    tasks.length = 0;
    writes.length = 0;
    observed.length = 0;
    const key = { name: 'till', hash: hashKey('till'), hint: 'till', scopes: [] };
    ({ id: keyId } = await storage.database.write(({ apiKeys }) =>
      apiKeys.create({ ...key, createdAt: NOON, expiresAt: null }),
    ));
  });
  afterEach(async () => {
    await finish();
    await storage.remove();
  });

  /** Starts it on the real database, with a time that the test lets pass. */
  function start(): void {
    const { database } = storage;
    const timers = spyOn(globalThis, 'setInterval').mockImplementation(((
      run: () => void,
      intervalMs: number,
    ) => {
      tasks.push({ intervalMs, run });
    }) as typeof setInterval);
    const watched: Database = {
      ...database,
      write(...args) {
        const written = database.write(...args);
        writes.push(written.catch(() => undefined));
        return written;
      },
    };
    finish = startBackgroundJobs({
      database: watched,
      usage: new UsageCounter(async () => {}),
      clock: { now: () => now },
      observe: (observation) => observed.push(observation),
    });
    timers.mockRestore();
  }

  /** Lets an hour pass: whatever is done at least once an hour is done at its end. */
  async function passHour(): Promise<void> {
    now += HOUR_MS;
    for (const { intervalMs, run } of tasks) if (intervalMs <= HOUR_MS) run();
    await settled();
  }

  /** Waits until it has nothing more to write. */
  async function settled(): Promise<void> {
    for (let seen = -1; seen !== writes.length; ) {
      seen = writes.length;
      await Promise.all(writes);
      await Bun.sleep(0);
    }
    expect(observed).toEqual([]);
  }

  const scopeOf = (idempotencyKey: string): IdempotencyScope => ({
    keyId,
    operation: 'POST /v1/pets',
    idempotencyKey,
  });

  const keep = (names: readonly string[], savedAt: number) =>
    storage.database.write(({ idempotencyRecords }) =>
      names.reduce<MaybePromise<unknown>>(
        (done, name) =>
          chain(done, () =>
            idempotencyRecords.save(scopeOf(name), {
              fingerprint: hashKey(name),
              response: new Uint8Array(1),
              savedAt,
            }),
          ),
        undefined,
      ),
    );

  /** Which of these are still kept. */
  const kept = (names: readonly string[]): Promise<string[]> =>
    storage.database.write(({ idempotencyRecords }) =>
      names.reduce<MaybePromise<string[]>>(
        (done, name) =>
          chain(done, (found) =>
            chain(idempotencyRecords.find(scopeOf(name)), (answer) =>
              answer ? [...found, name] : found,
            ),
          ),
        [],
      ),
    );

  test('forgets the answers that are older than a day when it starts, and no other', async () => {
    await keep(['two days'], NOON - 2 * DAY_MS);
    await keep(['a day and a millisecond'], NOON - DAY_MS - 1);
    await keep(['a day but a millisecond'], NOON - DAY_MS + 1);
    await keep(['new'], NOON);
    start();
    await settled();
    expect(
      await kept(['two days', 'a day and a millisecond', 'a day but a millisecond', 'new']),
    ).toEqual(['a day but a millisecond', 'new']);
  });

  test('forgets every one of them, however many they are', async () => {
    const old = Array.from({ length: 1_100 }, (_, index) => `old ${index}`);
    await keep(old, NOON - DAY_MS - 1);
    start();
    await settled();
    expect(await kept(old)).toEqual([]);
  });

  test('goes on forgetting while the service runs: within an hour after the day has passed', async () => {
    await keep(['first'], NOON);
    await keep(['second'], NOON + 2 * HOUR_MS);
    start();
    for (let hour = 1; hour <= 24; hour += 1) await passHour();
    expect(await kept(['first', 'second'])).toEqual(['first', 'second']);
    await passHour();
    expect(await kept(['first', 'second'])).toEqual(['second']);
    await passHour();
    await passHour();
    expect(await kept(['first', 'second'])).toEqual([]);
  });
});
