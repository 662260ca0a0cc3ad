/** Each event that has a metric changes it. */
import { expect, spyOn, test } from 'bun:test';
import { DeadlineExceeded } from '../../src/http/middleware/deadline.ts';
import { negotiate, render } from '../../src/observe/metrics/exposition.ts';
import { createMetrics } from '../../src/observe/metrics/metrics.ts';
import { storageFamilies } from '../../src/observe/metrics/storage-metrics.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { StorageError, type StorageFailure } from '../../src/storage/database.ts';
import { parseScrape } from '../support/metrics.ts';

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';

const error = new Error();
const failed = (error: unknown): Observation => ({
  kind: 'request_failed',
  requestId: 'r1',
  error,
});
const storage = (failure: StorageFailure) => failed(new StorageError(failure, 'It fails.'));
const FAILURES = 'request_failures_total';
const EXIT = { kind: 'worker_exited', workerPid: 1, exitCode: 1, signal: null } as const;
const STANDBY = { database: 'postgres://standby/animals', reason: 'It lags.' };

type Case = readonly [Observation, string, number, Readonly<Record<string, string>>?];

const CASES: readonly Case[] = [
  [storage('unavailable'), FAILURES, 1, { failure: 'unavailable' }],
  [storage('full'), FAILURES, 1, { failure: 'full' }],
  [storage('damaged'), FAILURES, 1, { failure: 'damaged' }],
  [failed(new DeadlineExceeded()), FAILURES, 1, { failure: 'deadline_exceeded' }],
  [failed(Object.assign(new Error(), { code: 'EIO' })), FAILURES, 1, { failure: 'other' }],
  [failed('text'), FAILURES, 1, { failure: 'other' }],
  [failed(null), FAILURES, 1, { failure: 'other' }],
  [{ kind: 'database_unavailable', reason: '' }, 'database_up', 0],
  [{ kind: 'database_unavailable', reason: '' }, 'database_losses_total', 1],
  [{ kind: 'database_damaged', error }, 'database_up', 0],
  [{ kind: 'database_damaged', error }, 'database_damaged', 1],
  [{ kind: 'writes_unavailable', reason: '' }, 'database_writes_available', 0],
  [{ kind: 'standby_left_out', ...STANDBY }, 'standbys_left_out', 1],
  [{ kind: 'connection_rejected', ...STANDBY }, 'connections_rejected_total', 1],
  [{ kind: 'database_credentials_rejected', reason: '' }, 'database_credentials_rejected_total', 1],
  [{ kind: 'background_job_failed', error }, 'background_job_failures_total', 1],
  [{ kind: 'orders_expired', count: 3 }, 'orders_expired_total', 3],
  [{ kind: 'orders_deleted', count: 7 }, 'orders_deleted_total', 7],
  ...['created', 'rotated', 'revoked'].map(
    (change): Case => [
      { kind: `api_key_${change}` } as Observation,
      'api_key_changes_total',
      1,
      { change },
    ],
  ),
  ...['delivered', 'pending', 'failed'].map(
    (status): Case => [
      { kind: 'webhook_attempted', deliveryStatus: status } as Observation,
      'webhook_attempts_total',
      1,
      { status },
    ],
  ),
  [
    { kind: 'credential_refused', reason: 'expired' } as Observation,
    'credentials_refused_total',
    1,
    { reason: 'expired' },
  ],
  [{ kind: 'clock_jumped', jumpSeconds: 61 }, 'clock_jumps_total', 1],
  [
    { kind: 'lines_left_out', event: 'request_failed', leftOut: 7, cause: undefined },
    'log_lines_left_out_total',
    7,
  ],
  [{ kind: 'drain_timeout', activeRequests: 2 }, 'drain_timeouts_total', 1],
  [{ kind: 'shutdown_started', reason: '', delaySeconds: 0 }, 'shutting_down', 1],
  [{ ...EXIT, expected: true }, 'worker_exits_total', 1, { expected: 'true' }],
  [{ ...EXIT, expected: false }, 'worker_exits_total', 1, { expected: 'false' }],
  [{ kind: 'worker_replacement_failed', workerPid: 1 }, 'worker_replacement_failures_total', 1],
];

const BUILD = { version: '1.2.3', commit: '0123456789ab', schemaVersion: 5 };

const read = async (metrics: ReturnType<typeof createMetrics>) =>
  parseScrape(await render([await metrics.collect()], TEXT));

test.each(CASES)('%j changes %s to %d', async (observation, metric, value, labels = {}) => {
  const name = `animal_store_${metric}`;
  const metrics = createMetrics({ build: BUILD, operations: [] });
  // Each series exists from the start.
  expect((await read(metrics)).sum(name, labels) ?? value).not.toBe(value);
  metrics.observe(observation);
  expect((await read(metrics)).sum(name, labels)).toBe(value);
});

test('what is available again has its first value again', async () => {
  const metrics = createMetrics({ build: BUILD, operations: [] });
  const before = await read(metrics);
  metrics.observe({ kind: 'database_unavailable', reason: '' });
  metrics.observe({ kind: 'database_available', unavailableSeconds: 1, failedRequests: 0 });
  metrics.observe({ kind: 'writes_unavailable', reason: '' });
  metrics.observe({ kind: 'writes_available', unavailableSeconds: 1, failedWrites: 0 });
  metrics.observe({ kind: 'standby_left_out', ...STANDBY });
  metrics.observe({ kind: 'standby_used_again', ...STANDBY, unavailableSeconds: 1 });
  const after = await read(metrics);
  for (const name of ['database_up', 'database_writes_available', 'standbys_left_out'])
    expect(after.sum(`animal_store_${name}`)).toBe(before.sum(`animal_store_${name}`) as number);
});

test('a method that is no label, and a status of each operation, are counted', async () => {
  const ofList = { id: 'listPets', method: 'GET', isDeprecated: false };
  const operations = [ofList, { ...ofList, id: 'createPet' }];
  const metrics = createMetrics({ build: BUILD, operations });
  const request = {
    kind: 'request',
    requestId: 'r1',
    respondedAtMs: 0,
    route: undefined,
    durationSeconds: 0.5,
    keyId: undefined,
    resource: undefined,
    clientAddress: undefined,
    trace: undefined,
    credentialCache: 0,
    responseCache: 0,
  } as const;
  metrics.observe({ ...request, method: 'TRACE', operationIndex: -1, status: 405 });
  metrics.observe({ ...request, method: 'GET', operationIndex: 1, status: 599 });
  const { sum } = await read(metrics);
  const name = 'animal_store_http_requests_total';
  expect(sum(name, { operation: 'none', method: 'other', status: '405' })).toBe(1);
  expect(sum(name, { operation: 'createPet', method: 'GET', status: '599' })).toBe(1);
  const bucket = 'animal_store_http_request_duration_seconds_bucket';
  expect(sum(bucket, { operation: 'createPet', le: '0.25' })).toBe(0);
  expect(sum(bucket, { operation: 'createPet', le: '0.5' })).toBe(1);
});

test('the process has its start and its time, and the lag of each turn of the event loop', async () => {
  using now = spyOn(performance, 'now').mockReturnValue(1_000);
  let turn = () => {};
  using _timer = spyOn(globalThis, 'setInterval').mockImplementation(((run: () => void) => {
    turn = run;
    return { unref() {} };
  }) as never);
  using _age = spyOn(process, 'uptime').mockReturnValue(10);
  using _cpu = spyOn(process, 'cpuUsage').mockReturnValue({ user: 2e6, system: 1e6 });
  using _date = spyOn(Date, 'now').mockReturnValue(90_000);
  const metrics = createMetrics({ build: BUILD, operations: [] });
  for (const ms of [1_350, 1_450, 1_540]) {
    now.mockReturnValue(ms);
    turn();
  }
  const { sum } = await read(metrics);
  expect(sum('animal_store_event_loop_lag_seconds_sum')).toBe(0.25);
  expect(sum('animal_store_event_loop_lag_seconds_count')).toBe(3);
  expect(sum('process_cpu_seconds_total')).toBe(3);
  expect(sum('process_start_time_seconds')).toBe(80);
});

test('a pool has idle and busy connections, and a storage without pools has no metrics of them', () => {
  const pool = { name: 'read', open: 5, busy: 2, waiting: 4, limit: 9 };
  const families = storageFamilies({ pools: [pool] });
  expect(families.map(({ values }) => values.map(({ value }) => value))).toEqual([
    [3, 2],
    [9],
    [4],
  ]);
  expect(storageFamilies({})).toEqual([]);
});

test.each([
  ['application/openmetrics-text', true],
  ['text/plain, application/openmetrics-text;version=1.0.0', true],
  ['text/plain;q=0.4, application/openmetrics-text ; q=0.5', true],
  ['text/*, application/openmetrics-text;q=0.9', false],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-text-2, x/application/openmetrics-text', false],
])('a scrape that accepts %s gets OpenMetrics: %p', (accept, isOpen) => {
  expect(negotiate(accept).startsWith('application/openmetrics-text')).toBe(isOpen);
});
