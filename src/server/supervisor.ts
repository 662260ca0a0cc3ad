import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import type { Observe } from '../observe/observation.ts';

/** The message of a worker to its supervisor that it serves requests. */
export const LISTENING = 'listening';

/** A worker that exits sooner counts as a failed start. */
const MIN_UPTIME_MS = 5_000;
const BASE_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

interface Worker {
  readonly number: number;
  readonly process: Bun.Subprocess;
  readonly listening: Promise<boolean>;
}

/** Runs workers that serve one port, and replaces a worker that exits. Workers stop when the supervisor exits. */
export class Supervisor {
  readonly #command: (number: number) => readonly string[];
  readonly #observe: Observe;
  readonly #workers = new Set<Worker>();
  readonly #replacements: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  #signal: NodeJS.Signals | undefined;

  /** @param command returns the command line of a worker. Workers are numbered from 1; a replacement keeps the number. */
  constructor(command: (number: number) => readonly string[], observe: Observe) {
    this.#command = command;
    this.#observe = observe;
  }

  /** Resolves with true when all workers serve requests, and with false if one fails to start. */
  async start(count: number): Promise<boolean> {
    const workers = Array.from({ length: count }, (_, index) => this.#spawn(index + 1));
    const started = await Promise.all(workers.map(({ listening }) => listening));
    if (started.includes(false)) return false;
    for (const worker of workers) this.#replacements.push(this.#replaceOnExit(worker));
    return true;
  }

  /** Asks all workers to stop, including those that are still starting. */
  stop(signal: NodeJS.Signals): void {
    this.#signal = signal;
    this.#stopping.abort();
    for (const worker of this.#workers) requestStop(worker, signal);
  }

  /** Kills all workers. */
  kill(): void {
    for (const { process } of this.#workers) process.kill('SIGKILL');
  }

  /** Resolves when all workers have exited after `stop`. */
  async stopped(): Promise<void> {
    await Promise.all(this.#replacements);
    await Promise.all([...this.#workers].map(({ process }) => process.exited));
  }

  /** Starts a new worker whenever the current one exits, until `stop`. */
  async #replaceOnExit(first: Worker): Promise<void> {
    let worker = first;
    for (let failures = 0; ; ) {
      const startedMs = monotonicMs();
      await worker.process.exited;
      if (this.#signal !== undefined) return;
      const { pid, exitCode, signalCode } = worker.process;
      this.#observe({
        kind: 'worker_exited',
        workerPid: pid,
        exitCode,
        signal: signalCode === null ? null : String(signalCode),
      });
      failures = monotonicMs() - startedMs < MIN_UPTIME_MS ? failures + 1 : 0;
      // Clients wait, so the first replacement starts immediately. Repeated failures must not load the machine.
      if (failures > 1) await this.#backOff(BASE_BACKOFF_MS * 2 ** failures);
      if (this.#signal !== undefined) return;
      worker = this.#spawn(first.number);
    }
  }

  /** Waits, but returns early on `stop`. */
  async #backOff(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(Math.min(ms, MAX_BACKOFF_MS), undefined, { signal }).catch(() => {});
  }

  #spawn(number: number): Worker {
    const { promise: listening, resolve } = Promise.withResolvers<boolean>();
    const process = Bun.spawn([...this.#command(number)], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => resolve(message === LISTENING),
    });
    const worker: Worker = { number, process, listening };
    this.#workers.add(worker);
    process.exited.then(() => {
      this.#workers.delete(worker);
      resolve(false);
    });
    listening.then(() => {
      if (this.#signal !== undefined) requestStop(worker, this.#signal);
    });
    return worker;
  }
}

/** Sends a message, not a signal: a terminal also signals every process, and a worker exits on a second signal. */
function requestStop({ process }: Worker, signal: NodeJS.Signals): void {
  try {
    process.send(signal);
  } catch {
    // The worker has already exited.
  }
}
