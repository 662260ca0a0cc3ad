import { monotonicMs } from '../clock.ts';
import { countDescriptors, readDescriptorLimit } from '../observe/descriptors.ts';
import type { Observe } from '../observe/observation.ts';

const CHECK_INTERVAL_MS = 2_000;

/** The parts of the limit from which descriptors are low, and below which there are enough again. */
const LOW = 0.9;
const ENOUGH = 0.8;

/** With fewer free descriptors, some need of the process fails: it opens files and connections for moments. */
const MIN_FREE = 4;

/** The open descriptors of this process, and its soft limit. */
interface Descriptors {
  readonly open: number;
  readonly limit: number;
}

/**
 * Checks the file descriptors of this process every two seconds, and reports once when they are low, when none
 * is left, and when there are enough again. The runtime reports nothing when it cannot accept a connection. The
 * check reads /proc, so that it does nothing on other systems than Linux. Returns a function that ends the checks.
 */
export function watchDescriptors(observe: Observe): () => void {
  // Read once because it cannot be read when no descriptor is left.
  const limit = readDescriptorLimit();
  if (limit === undefined) return () => {};
  let reported: 'enough' | 'low' | 'exhausted' = 'enough';
  let sinceMs = 0;
  const check = (): void => {
    const open = countDescriptors() ?? limit;
    const state = stateOf({ open, limit });
    if (state === 'enough' && reported !== 'enough') {
      const lowSeconds = Math.round(monotonicMs() - sinceMs) / 1000;
      observe({ kind: 'descriptors_available', open, limit, lowSeconds });
      reported = 'enough';
    }
    if ((state === 'low' || state === 'exhausted') && reported === 'enough')
      sinceMs = monotonicMs();
    if (state === 'low' && reported === 'enough') {
      observe({ kind: 'descriptors_low', open, limit });
      reported = 'low';
    }
    if (state === 'exhausted' && reported !== 'exhausted') {
      observe({ kind: 'descriptors_exhausted', open, limit });
      reported = 'exhausted';
    }
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Undefined between the thresholds: nothing is reported there, so that a small change is not reported again and again. */
function stateOf({ open, limit }: Descriptors): 'enough' | 'low' | 'exhausted' | undefined {
  if (limit - open < MIN_FREE) return 'exhausted';
  if (open >= limit * LOW) return 'low';
  return open < limit * ENOUGH ? 'enough' : undefined;
}
