/** Preloaded into a process of the service: adds the milliseconds in a file to the time, as if the clock of the machine were set. */
import { readFileSync } from 'node:fs';

const INTERVAL_MS = 20;

const now = Date.now;
const read = (): number => Number(readFileSync(process.env['CLOCK_SHIFT'] ?? '', 'utf8'));
let shiftMs = read();
Date.now = () => now() + shiftMs;
setInterval(() => {
  shiftMs = read();
}, INTERVAL_MS).unref();
