import type { Waits } from '../../src/waits.ts';

/** The beginning of `Waits`, to copy. */
export const NO_WAITS: Readonly<Waits> = {
  lockMs: 0,
  diskMs: 0,
  connectionMs: 0,
  waitingFor: undefined,
  waitingSinceMs: 0,
};
