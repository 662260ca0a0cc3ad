/** A wrong clock is reported. */
import { expect, test } from 'bun:test';
import type { Observation } from '../../src/observe/observation.ts';
import { ClockWatch } from '../../src/server/clock-watch.ts';
import { StorageError } from '../../src/storage/database.ts';

const START = Date.UTC(2026, 10, 23);

function watch() {
  const time = { now: START, monotonic: 5_000 };
  const observed: Observation[] = [];
  const clock = { now: () => time.now, monotonicMs: () => time.monotonic };
  const pass = (ms: number, setBy = 0) => {
    time.now += ms + setBy;
    time.monotonic += ms;
  };
  return { pass, observed, watch: new ClockWatch((event) => observed.push(event), clock) };
}

test('a clock that runs evenly is not reported, however long a check is late', () => {
  const { pass, observed, watch: clock } = watch();
  for (const ms of [2_000, 1, 86_400_000]) {
    pass(ms);
    clock.check();
  }
  expect(observed).toEqual([]);
});

test.each([61, -61, 172_800, -172_800])('a jump by %i s is reported once', (seconds) => {
  const { pass, observed, watch: clock } = watch();
  pass(2_000, seconds * 1_000);
  clock.check();
  pass(2_000);
  clock.check();
  expect(observed).toEqual([{ kind: 'clock_jumped', jumpSeconds: seconds }]);
});

test('a jump back is reported, too', () => {
  const { pass, observed, watch: clock } = watch();
  for (const seconds of [100, -100]) {
    pass(2_000, seconds * 1_000);
    clock.check();
  }
  expect(observed).toEqual([
    { kind: 'clock_jumped', jumpSeconds: 100 },
    { kind: 'clock_jumped', jumpSeconds: -100 },
  ]);
});

test('steps of up to a minute are reported when together they exceed it', () => {
  const { pass, observed, watch: clock } = watch();
  pass(2_000, 60_000);
  clock.check();
  expect(observed).toEqual([]);
  pass(2_000, 1_000);
  clock.check();
  expect(observed).toEqual([{ kind: 'clock_jumped', jumpSeconds: 61 }]);
});

test('a newest time of over a minute later than now is reported, and counts down to zero', async () => {
  const { pass, observed, watch: clock } = watch();
  await clock.compareWith({ newestTime: () => START + 61_000 });
  expect(observed).toEqual([{ kind: 'clock_behind', behindSeconds: 61 }]);
  expect(clock.behindSeconds).toBe(61);
  pass(60_000);
  expect(clock.behindSeconds).toBe(1);
  pass(60_000);
  expect(clock.behindSeconds).toBe(0);
});

test.each([undefined, START - 1, START + 60_000])(
  'a newest time of %p is not reported',
  async (time) => {
    const { observed, watch: clock } = watch();
    await clock.compareWith({ newestTime: () => time });
    expect(observed).toEqual([]);
  },
);

test('a database that cannot be read does not prevent the start, and other errors are not hidden', async () => {
  const { observed, watch: clock } = watch();
  await clock.compareWith({
    newestTime: () => Promise.reject(new StorageError('unavailable', 'It is gone.')),
  });
  expect([observed, clock.behindSeconds]).toEqual([[], 0]);
  await expect(
    clock.compareWith({ newestTime: () => Promise.reject(new TypeError('a bug')) }),
  ).rejects.toThrow('a bug');
});
