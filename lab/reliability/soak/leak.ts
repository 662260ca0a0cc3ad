/** Preloaded into a process of the service, for the control: it keeps memory and descriptors. */
import { openSync } from 'node:fs';

const LEAK_BYTES = 256 * 1024;
const kept: Buffer[] = [];

setInterval(() => {
  kept.push(Buffer.alloc(LEAK_BYTES, 1));
  openSync('/dev/null', 'r');
}, 100).unref();
