import { monotonicMs } from '../clock.ts';
import type { StopOptions } from './server.ts';
import { COLLECT_METRICS, REPLACE, REPLACED } from './worker-messages.ts';

/** Stops what runs. Resolves when it has stopped. */
type Stop = (reason: string, options?: StopOptions) => Promise<void>;

/**
 * The shortest time in which a replaced worker still accepts requests. The response to a request in this time tells the client
 * to open another connection. The worker closes only connections that are idle all the time.
 */
const MIN_HANDOVER_MS = 1_000;

/**
 * Signals in this time count as one. npm passes on SIGINT of a terminal and SIGTERM of systemd. This process also gets both
 * directly.
 */
const ONE_SIGNAL_MS = 150;

/**
 * Calls `stop` on the first SIGTERM or SIGINT. A second one calls `kill`, and exits immediately
 * with status 1.
 */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void, kill = () => {}): void {
  let firstMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstMs === undefined) {
      firstMs = monotonicMs();
      stop(signal);
    } else if (monotonicMs() - firstMs > ONE_SIGNAL_MS) {
      kill();
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Stops on SIGTERM or SIGINT. Resolves when everything has stopped. */
export function stopOnSignal(stop: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    onStopSignal((signal) => stop(signal).then(resolve, reject));
  });
}

/**
 * Stops a worker. Resolves when everything has stopped.
 * - A signal in a message of the supervisor: after the delay, as a single process.
 * - SIGTERM: after its successor serves requests. A second one stops the worker without waiting for the
 *   successor. While the worker stops, SIGTERM has no effect: systemd sends it to supervisor and workers.
 * - The supervisor has exited: without a delay, so that the port is soon free for another supervisor.
 */
export function stopWithSupervisor(stop: Stop, delayMs: number): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let isStopping = false;
  const stopFor = (reason: string, options?: StopOptions): void => {
    isStopping = true;
    stop(reason, options).then(resolve, reject);
  };
  process.on('message', (message) => {
    if (message === COLLECT_METRICS) return;
    if (message === REPLACED) {
      const handoverMs = Math.max(delayMs, MIN_HANDOVER_MS);
      stopFor('SIGTERM', { delayMs: handoverMs, hasSuccessor: true });
    } else stopFor(String(message), { delayMs });
  });
  process.on('disconnect', () => stopFor('supervisor exited'));
  let isReplacing = false;
  process.on('SIGTERM', () => {
    if (isStopping) return;
    if (isReplacing) return stopFor('SIGTERM');
    isReplacing = true;
    process.send?.(REPLACE);
  });
  process.on('SIGINT', () => {}); // A terminal also sends it to the supervisor.
  return stopped.then(() => process.disconnect?.());
}
