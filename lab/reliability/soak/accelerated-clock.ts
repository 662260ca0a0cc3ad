/**
 * Preloaded into a process of the service: its wall clock runs faster by `CLOCK_FACTOR`, and its jobs come more often.
 * Durations and timeouts, which the monotonic clock measures, stay those of the machine.
 */
const factor = Number(process.env['CLOCK_FACTOR']);
const MIN_INTERVAL_MS = 1_000;

const wall = Date.now;
const every = globalThis.setInterval;
const startMs = wall();

Date.now = () => Math.floor(startMs + (wall() - startMs) * factor);
// More often than each second would measure the jobs and nothing else.
const shorten = (ms = 0) => (ms <= MIN_INTERVAL_MS ? ms : Math.max(MIN_INTERVAL_MS, ms / factor));
globalThis.setInterval = ((run: () => void, ms?: number) =>
  every(run, shorten(ms))) as typeof setInterval;
