/** In an incident the log has each cause once, and the number of its repetitions. */
import { afterAll, beforeAll, expect, jest, test } from 'bun:test';
import type { LogLevel } from '../../src/observe/level.ts';
import { limitLines } from '../../src/observe/limit-lines.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { StorageError } from '../../src/storage/database.ts';

const WINDOW_MS = 10_000;

beforeAll(() => jest.useFakeTimers());
afterAll(() => jest.useRealTimers());

const endWindow = () => jest.advanceTimersByTime(WINDOW_MS);

function limited(level: LogLevel = 'info') {
  const written: Observation[] = [];
  return {
    written,
    observe: limitLines((observation) => written.push(observation), level),
  };
}

const gone = () => new StorageError('unavailable', 'The server is gone.');
const failed = (requestId: string, error: unknown = gone()): Observation => ({
  kind: 'request_failed',
  requestId,
  error,
});
const job = (): Observation => ({ kind: 'background_job_failed', error: gone() });
const leftOut = (event: string, count: number, cause = 'The server is gone.'): Observation => ({
  kind: 'lines_left_out',
  event,
  leftOut: count,
  cause,
});

test('of failures with the same cause the first one is written, and the others are counted', () => {
  const { written, observe } = limited();
  const first = failed('r0');
  observe(first);
  for (let request = 1; request <= 500; request += 1) observe(failed(`r${request}`));
  expect(written).toEqual([first]);
  endWindow();
  expect(written).toEqual([first, leftOut('request_failed', 500)]);
});

test('failures of requests and of background jobs, and failures with other causes, are counted separately', () => {
  const { written, observe } = limited();
  const lines = [failed('r1'), job(), failed('r2', new StorageError('full', 'No space.'))];
  for (const line of [...lines, ...lines]) observe(line);
  expect(written).toEqual(lines);
});

test.each([failed('r1'), job(), { kind: 'checkpoint_failed', error: gone() } as Observation])(
  'an incident of $kind that lasts has one line per window, and a failure after a quiet window is written again',
  (line) => {
    const { written, observe } = limited();
    observe(line);
    for (let window = 1; window <= 3; window += 1) {
      observe(line);
      endWindow();
    }
    expect(written).toEqual([line, ...Array(3).fill(leftOut(line.kind, 1))]);
    endWindow();
    observe(line);
    expect(written.at(-1)).toBe(line);
  },
);

test('other events are always written, and the counts before the last line of the service', () => {
  const { written, observe } = limited();
  const first = job();
  const expired: Observation = { kind: 'orders_expired', count: 1 };
  for (const line of [first, job(), expired, expired, job()]) observe(line);
  observe({ kind: 'shutdown_finished' });
  endWindow();
  expect(written).toEqual([
    ...[first, expired, expired],
    leftOut('background_job_failed', 2),
    { kind: 'shutdown_finished' },
  ]);
});

test('failures with a thousand different causes have a limited number of lines', () => {
  const { written, observe } = limited();
  for (let cause = 0; cause < 1_000; cause += 1) observe(failed('r', new Error(`cause ${cause}`)));
  observe(failed('r', new Error('cause 0')));
  expect(written).toHaveLength(101);
  observe({ kind: 'shutdown_finished' });
  expect(written.slice(101, -1)).toEqual([
    leftOut('request_failed', 1, 'cause 0'),
    { ...leftOut('request_failed', 899), cause: undefined } as Observation,
  ]);
});

test('of refused credentials ten lines are written in each window, and the others are counted', () => {
  const { written, observe } = limited();
  const refused: Observation = {
    kind: 'credential_refused',
    requestId: 'r',
    reason: 'unknown',
    hint: undefined,
    keyId: undefined,
    clientAddress: undefined,
  };
  const flood = () => {
    for (let time = 0; time < 25; time += 1) observe(refused);
  };
  const count = { kind: 'lines_left_out', event: 'credential_refused', leftOut: 15 };
  flood();
  endWindow();
  flood();
  endWindow();
  const window = [...Array(10).fill(refused), { ...count, cause: undefined } as Observation];
  expect(written).toEqual([...window, ...window]);
});

const attempt = (endpointId: string, reason: string | undefined): Observation => ({
  ...{ kind: 'webhook_attempted', endpointId, eventId: 'e', attempts: 1, reason },
  ...{ deliveryStatus: 'pending', responseStatus: undefined, durationSeconds: 0 },
});

test('lines that the level keeps out of the log are not counted as left out', () => {
  const { written, observe } = limited('warn');
  for (let time = 0; time < 25; time += 1) observe(attempt('1', 'timed_out'));
  endWindow();
  expect(written.map(({ kind }) => kind)).not.toContain('lines_left_out');
});

test('of the failures of a webhook endpoint ten lines are written in each window, and all of what was delivered', () => {
  const { written, observe } = limited();
  const lines = [attempt('1', 'timed_out'), attempt('2', 'timed_out'), attempt('1', undefined)];
  const flood = () => {
    for (let time = 0; time < 25; time += 1) for (const line of lines) observe(line);
  };
  const count = (line?: Observation) => written.filter((one) => one === line).length;
  flood();
  expect(lines.map(count)).toEqual([10, 10, 25]);
  endWindow();
  expect(written.slice(45)).toEqual([
    leftOut('webhook_attempted', 15, 'webhook endpoint 1: timed_out'),
    leftOut('webhook_attempted', 15, 'webhook endpoint 2: timed_out'),
  ]);
  flood();
  expect(lines.map(count)).toEqual([20, 20, 50]);
});
