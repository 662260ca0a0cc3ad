/** Preloaded into a process of the service: its clocks run faster by `CLOCK_FACTOR`, and its jobs with them. Timeouts do not. */
const factor = Number(process.env['CLOCK_FACTOR']);
const MIN_INTERVAL_MS = 1_000;

const wall = Date.now;
const monotonic = performance.now.bind(performance);
const every = globalThis.setInterval;
const [wallMs, monotonicMs] = [wall(), monotonic()];

Date.now = () => Math.floor(wallMs + (wall() - wallMs) * factor);
performance.now = () => monotonicMs + (monotonic() - monotonicMs) * factor;
// More often than each second would measure the jobs and nothing else.
const shorten = (ms = 0) => (ms <= MIN_INTERVAL_MS ? ms : Math.max(MIN_INTERVAL_MS, ms / factor));
globalThis.setInterval = ((run: () => void, ms?: number) =>
  every(run, shorten(ms))) as typeof setInterval;
