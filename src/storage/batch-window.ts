import { monotonicMs } from '../clock.ts';

/**
 * The window closes after this many turns of the event loop without another write. A turn is short
 * while the load is low. It is long while many requests read: then fewer, larger batches are faster
 * for all because reads wait while a batch is written to disk.
 */
const QUIET_TURNS = 4;

/** The longest time that the window stays open. */
const MAX_WINDOW_MS = 10;

/**
 * Waits while more writes arrive, so that they share one batch.
 * @param waiting the writes that have arrived.
 * @param maxBatchSize the window closes when this many wait.
 * @param nowMs the monotonic clock.
 */
export async function batchWindow(
  waiting: { readonly length: number },
  maxBatchSize: number,
  nowMs: () => number = monotonicMs,
): Promise<void> {
  const closesAtMs = nowMs() + MAX_WINDOW_MS;
  for (let quietTurns = 0; quietTurns < QUIET_TURNS && waiting.length < maxBatchSize; ) {
    const before = waiting.length;
    await new Promise(setImmediate);
    if (nowMs() >= closesAtMs) return;
    quietTurns = waiting.length > before ? 0 : quietTurns + 1;
  }
}
