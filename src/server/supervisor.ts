import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import type { Observe } from '../observe/observation.ts';

/** What a worker says to its supervisor: that it answers requests. */
export const LISTENING = 'listening';

/** How long after its start a worker that ends counts as one that cannot start. */
const SHORT_LIFE_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

interface Worker {
  readonly process: Bun.Subprocess;
  readonly listening: Promise<boolean>;
}

/**
 * Keeps processes running that answer on one port, each in the place of one that died. They stop
 * when they are told to, and when this process is gone.
 */
export class Supervisor {
  readonly #command: readonly string[];
  readonly #observe: Observe;
  readonly #workers = new Set<Worker>();
  readonly #watches: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  #signal: NodeJS.Signals | undefined;

  /** @param command starts a worker. */
  constructor(command: readonly string[], observe: Observe) {
    this.#command = command;
    this.#observe = observe;
  }

  /** Resolves with true when all workers answer, with false when one cannot start. */
  async start(count: number): Promise<boolean> {
    const first = Array.from({ length: count }, () => this.#spawn());
    const started = await Promise.all(first.map(({ listening }) => listening));
    if (started.includes(false)) return false;
    for (const worker of first) this.#watches.push(this.#watch(worker));
    return true;
  }

  /** Tells all workers to stop; those that start meanwhile, too. */
  stop(signal: NodeJS.Signals): void {
    this.#signal = signal;
    this.#stopping.abort();
    for (const worker of this.#workers) tellToStop(worker, signal);
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const { process } of this.#workers) process.kill('SIGKILL');
  }

  /** Resolves when all workers have ended, after `stop`. */
  async stopped(): Promise<void> {
    await Promise.all(this.#watches);
    await Promise.all([...this.#workers].map(({ process }) => process.exited));
  }

  /** Puts another worker in the place of one that ended, until all are to stop. */
  async #watch(first: Worker): Promise<void> {
    let worker = first;
    for (let failures = 0; ; ) {
      const startedMs = monotonicMs();
      await worker.process.exited;
      if (this.#signal !== undefined) return;
      const { pid, exitCode, signalCode } = worker.process;
      this.#observe({
        kind: 'worker_exited',
        pid,
        exitCode,
        signal: signalCode === null ? null : String(signalCode),
      });
      failures = monotonicMs() - startedMs < SHORT_LIFE_MS ? failures + 1 : 0;
      // The first is replaced at once: clients wait. What cannot start must not keep the machine busy.
      if (failures > 1) await this.#pause(FIRST_PAUSE_MS * 2 ** failures);
      if (this.#signal !== undefined) return;
      worker = this.#spawn();
    }
  }

  /** Waits, but not longer than until all are to stop. */
  async #pause(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(Math.min(ms, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => {});
  }

  #spawn(): Worker {
    let tell: (isListening: boolean) => void = () => {};
    const listening = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    const process = Bun.spawn([...this.#command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => tell(message === LISTENING),
    });
    const worker: Worker = { process, listening };
    this.#workers.add(worker);
    process.exited.then(() => {
      this.#workers.delete(worker);
      tell(false);
    });
    listening.then(() => {
      if (this.#signal !== undefined) tellToStop(worker, this.#signal);
    });
    return worker;
  }
}

/** Not by a signal: a terminal sends its own to every process, and a second one would end a worker at once. */
function tellToStop({ process }: Worker, signal: NodeJS.Signals): void {
  try {
    process.send(signal);
  } catch {
    // It has ended by itself.
  }
}
