/**
 * Loaded into the service before its program (`--preload`): timers with an interval of INTERVAL_MS milliseconds then run every
 * OTHER_INTERVAL_MS milliseconds.
 */

const { INTERVAL_MS, OTHER_INTERVAL_MS } = process.env;
const { setInterval: original } = globalThis;

const replacement = (run: () => void, ms?: number) =>
  original(run, ms === Number(INTERVAL_MS) ? Number(OTHER_INTERVAL_MS) : ms);

globalThis.setInterval = replacement as typeof setInterval;
