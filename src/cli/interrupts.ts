const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Limits how long the process stays after an interruption: a thread of SQLite cannot be stopped in a statement. */
const EXIT_TIMEOUT_MS = 200;

/** Runs work that a signal of the operator or the system interrupts. The work can then remove what it has begun. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    // The timer is not referenced: without a thread the process exits before it fires.
    if (controller.signal.aborted) setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
  }
}
