import { monotonicMs } from '../clock.ts';
import { countDescriptors, readDescriptorLimit } from '../observe/descriptors.ts';
import type { Observe } from '../observe/observation.ts';

const CHECK_INTERVAL_MS = 2_000;

/** The parts of the limit from which descriptors are low, and below which there are enough again. */
const LOW = 0.9;
const ENOUGH = 0.8;

/** With fewer free descriptors, some need of the process fails: it opens files and connections for moments. */
const MIN_FREE = 4;

type State = 'enough' | 'low' | 'exhausted';

/**
 * Checks the file descriptors of this process every two seconds, and reports once when they are low, when none
 * is left, and when there are enough again. The runtime reports nothing when it cannot accept a connection. The
 * check reads /proc, so that it does nothing on other systems than Linux. Returns a function that ends the checks.
 */
export function watchDescriptors(observe: Observe): () => void {
  // Read once because it cannot be read when no descriptor is left.
  const limit = readDescriptorLimit();
  if (limit === undefined) return () => {};
  let reported: State = 'enough';
  let sinceMs = 0;
  const check = (): void => {
    const open = countDescriptors() ?? limit;
    const state = stateOf(open, limit);
    const isRecovering = state === 'low' && reported === 'exhausted';
    if (state === undefined || state === reported || isRecovering) return;
    if (reported === 'enough') sinceMs = monotonicMs();
    reported = state;
    const lowSeconds = Math.round(monotonicMs() - sinceMs) / 1000;
    if (state === 'enough') observe({ kind: 'descriptors_available', open, limit, lowSeconds });
    else observe({ kind: `descriptors_${state}`, open, limit });
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Undefined between the thresholds: nothing is reported there, so that a small change is not reported again and again. */
function stateOf(open: number, limit: number): State | undefined {
  if (limit - open < MIN_FREE) return 'exhausted';
  if (open >= limit * LOW) return 'low';
  return open < limit * ENOUGH ? 'enough' : undefined;
}
