/** A slow request says what it waited for: the write lock, or the disk. */
import type { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { monotonicMs } from '../../../src/clock.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { Writer } from '../../../src/storage/sqlite/transactions/writer.ts';
import { waitedSeconds } from '../../../src/waits.ts';
import { withIdempotentClose } from '../../support/idempotent-close.ts';
import { NO_WAITS } from '../../support/no-waits.ts';
import { startService, type TestService, type TestServiceOptions } from '../../support/service.ts';
import { openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = openScratch();
});
afterEach(() => scratch.remove());

describe('a request', () => {
  let service: TestService;
  let holder: Sqlite;
  afterEach(() => service.close());

  const start = async (options: TestServiceOptions = {}) => {
    const database = withIdempotentClose(openSqlite(scratch.path));
    const fail = () => Promise.reject(new Error('not used'));
    const storage = { database, reopen: fail, bytes: fail, remove: () => database.close() };
    service = await startService({
      ...options,
      engine: { name: 'SQLite', open: async () => storage },
    });
    holder = scratch.writing();
  };

  /** Sends a request that has already waited elsewhere for a time. */
  const send = (method: string, path: string, beforeMs: number, body?: object, headers = {}) =>
    service.app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${service.key}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
      monotonicMs() - beforeMs,
    );

  type Waited = (Observation & { kind: 'request' })['waited'];
  const waited = (): Waited[] =>
    service.observed.flatMap((one) => (one.kind === 'request' ? [one.waited] : []));

  const REX = { name: 'Rex', categoryId: 1 };

  test('over a second says how long another process held the write lock, and later requests only their part', async () => {
    await start();
    holder.run('BEGIN IMMEDIATE');
    const first = send('POST', '/v1/pets', 2_000, REX);
    await Bun.sleep(80);
    const second = send('PUT', '/v1/categories/1', 2_000, { name: 'Dogs' });
    await Bun.sleep(40);
    holder.run('COMMIT');
    await Promise.all([first, second]);
    const [short = 0, long = 0] = waited()
      .map((seconds) => seconds?.lock ?? 0)
      .sort();
    expect(short).toBeGreaterThan(0.005);
    expect(long - short).toBeGreaterThan(0.04);
  });

  test('that is faster says nothing', async () => {
    await start();
    holder.run('BEGIN IMMEDIATE');
    const created = send('POST', '/v1/pets', 0, REX);
    await Bun.sleep(10);
    holder.run('COMMIT');
    await created;
    expect(waited()).toEqual([undefined]);
  });

  test('says nothing of waits that did not occur, and nor does a read', async () => {
    await start();
    await send('GET', '/v1/pets', 2_000);
    await send('POST', '/v1/pets', 2_000, REX);
    const [read, change] = waited();
    expect(read).toEqual({});
    expect(change).not.toContainAnyKeys(['lock', 'connection']);
  });

  test('that misses its deadline says what it still waits for', async () => {
    await start({ options: { requestTimeoutMs: 2_200 } });
    holder.run('BEGIN IMMEDIATE');
    const response = await send('POST', '/v1/pets', 2_000, REX, { 'Idempotency-Key': 'once' });
    expect(response.status).toBe(503);
    expect(waited()[0]?.lock).toBeGreaterThan(0.02);
    holder.run('COMMIT');
  });
});

test('a write that gets no lock has waited for it until it failed', async () => {
  const writer = new Writer(scratch.writing(), { busyTimeoutMs: 30 });
  const holder = scratch.writing();
  holder.run('BEGIN IMMEDIATE');
  const waits = { ...NO_WAITS };
  const outcome = await writer.write(() => {}, { waits }).catch(({ failure }) => failure);
  expect(outcome).toBe('unavailable');
  expect(waits.waitingFor).toBeUndefined();
  expect(waitedSeconds(waits, monotonicMs()).lock).toBeGreaterThanOrEqual(0.03);
  holder.run('COMMIT');
});

/** A connection whose COMMIT takes as long as that of a slow disk. */
function withSlowDisk(connection: Sqlite, delayMs: number): Sqlite {
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    if (sql !== 'COMMIT') return statement;
    const run = () => {
      Bun.sleepSync(delayMs);
      return statement.run();
    };
    return { run };
  }) as unknown as Sqlite['prepare'];
  return connection;
}

test('each write of a batch has waited for the disk, and so has a write of the next batch', async () => {
  const writer = new Writer(withSlowDisk(scratch.writing(), 30));
  const all = [1, 2, 3].map(() => ({ ...NO_WAITS }));
  const [first, second, third] = all;
  await Promise.all([
    writer.write(() => {}, { waits: first, rows: 1_000 }),
    writer.writeInGroup(() => [undefined], undefined, second),
    writer.write(() => {}, { waits: third, rows: 1_000 }),
  ]);
  const [disk, ofGroup, ofNextBatch] = all.map((waits) => waitedSeconds(waits, 0).disk);
  expect(disk).toBeGreaterThanOrEqual(0.03);
  expect(ofGroup).toBe(disk as number);
  expect(ofNextBatch).toBeGreaterThanOrEqual(0.06);
  expect(all.map((waits) => waitedSeconds(waits, 0).lock)).toEqual(Array(3).fill(undefined));
});
