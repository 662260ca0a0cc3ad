/**
 * Loaded into the service before its program (`--preload`): the job that stores the usage then runs every FLUSH_MS
 * milliseconds instead of every ten seconds. The job, its write and everything else are those of the service.
 */

/** The interval of this job alone. `jobs` counts the commits, so it notices if that changes. */
const USAGE_INTERVAL_MS = 10_000;

const flushMs = Number(process.env['FLUSH_MS']);
const { setInterval: original } = globalThis;

const replacement = (run: () => void, ms?: number) =>
  original(run, ms === USAGE_INTERVAL_MS ? flushMs : ms);

globalThis.setInterval = replacement as typeof setInterval;
