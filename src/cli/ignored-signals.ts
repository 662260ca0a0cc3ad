import type { Observe } from '../observe/observation.ts';

/** Signals that end a process by default. Other services reload or reopen their log on them. */
const IGNORED_SIGNALS = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

/** Without a listener, the signals end the process. The runtime installs its own for none of them. */
export function ignoreSignals(): void {
  for (const signal of IGNORED_SIGNALS) process.on(signal, () => {});
}

/** Reports each signal that is ignored. */
export function observeIgnoredSignals(observe: Observe): void {
  for (const signal of IGNORED_SIGNALS) {
    process.on(signal, () => observe({ kind: 'signal_ignored', signal }));
  }
}
