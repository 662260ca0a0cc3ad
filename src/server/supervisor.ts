import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../clock.ts';
import type { Observe } from '../observe/observation.ts';
import { isMetricsMessage, LISTENING, REPLACE, REPLACED } from './worker-messages.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** A worker that exits sooner counts as a failed start. */
const MIN_UPTIME_MS = 5_000;
const BASE_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

interface Worker {
  readonly number: number;
  readonly process: Bun.Subprocess;
  /** Resolves with true when it serves requests, and with false if it exits before. */
  readonly listening: Promise<boolean>;
  /** Resolves with true when it asks for a successor, and with false if it exits before. */
  readonly asksForSuccessor: Promise<boolean>;
}

/**
 * Runs workers that serve one port. Replaces a worker that exits, and one that asks for a successor: the latter
 * serves until its successor does. Workers stop when the supervisor exits.
 */
export class Supervisor {
  readonly #workers = new Set<Worker>();
  readonly #replacements: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  #signal: NodeJS.Signals | undefined;

  /**
   * @param command returns the command line of a worker. Workers are numbered from 1; a replacement keeps the number.
   * @param nowMs the monotonic clock.
   */
  constructor(
    private readonly command: (number: number) => readonly string[],
    private readonly observe: Observe,
    private readonly metrics?: WorkerMetrics,
    private readonly nowMs: () => number = monotonicMs,
  ) {}

  /** Resolves with true when all workers serve requests, and with false if one fails to start. */
  async start(count: number): Promise<boolean> {
    const workers = Array.from({ length: count }, (_, index) => this.#spawn(index + 1));
    const started = await Promise.all(workers.map(({ listening }) => listening));
    if (started.includes(false)) return false;
    for (const worker of workers) this.#replacements.push(this.#keepRunning(worker));
    return true;
  }

  /** Asks all workers to stop, including those that are still starting. */
  stop(signal: NodeJS.Signals): void {
    this.#signal = signal;
    this.#stopping.abort();
    for (const worker of this.#workers) send(worker, signal);
  }

  kill(): void {
    for (const { process } of this.#workers) process.kill('SIGKILL');
  }

  /** Resolves when all workers have exited after `stop`. */
  async stopped(): Promise<void> {
    await Promise.all(this.#replacements);
    await Promise.all([...this.#workers].map(({ process }) => process.exited));
  }

  /** Starts a new worker whenever the current one exits or asks for a successor, until `stop`. */
  async #keepRunning(first: Worker): Promise<void> {
    let worker = first;
    for (let failures = 0; ; ) {
      const startedMs = this.nowMs();
      const successor = await this.#replace(worker);
      if (this.#signal !== undefined) return;
      if (successor !== undefined) {
        worker = successor;
        continue;
      }
      failures = this.nowMs() - startedMs < MIN_UPTIME_MS ? failures + 1 : 0;
      const again = await this.#startAgain(worker, failures);
      if (again === undefined) return;
      worker = again;
    }
  }

  /** Starts a worker that has exited again. Resolves with undefined on `stop`. */
  async #startAgain(worker: Worker, earlierFailures: number): Promise<Worker | undefined> {
    for (let failures = earlierFailures; ; failures += 1) {
      // Clients wait, so the first replacement starts immediately. Repeated failures must not load the machine.
      if (failures > 1) await this.#backOff(BASE_BACKOFF_MS * 2 ** failures);
      if (this.#signal !== undefined) return undefined;
      const again = this.#spawnSuccessor(worker);
      if (again !== undefined) return again;
    }
  }

  /**
   * Starts a successor when the worker asks for one. Resolves with the successor when it serves requests, and with
   * undefined when the worker has exited without one.
   */
  async #replace(worker: Worker): Promise<Worker | undefined> {
    if ((await worker.asksForSuccessor) && this.#signal === undefined) {
      const successor = this.#spawnSuccessor(worker);
      if (await successor?.listening) {
        send(worker, REPLACED);
        return successor;
      }
      const isStopping = this.#signal !== undefined;
      if (successor && !isStopping)
        this.observe({ kind: 'worker_replacement_failed', workerPid: worker.process.pid });
    }
    await worker.process.exited;
    return undefined;
  }

  /** Waits, but returns early on `stop`. */
  async #backOff(ms: number): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(Math.min(ms, MAX_BACKOFF_MS), undefined, { signal }).catch(() => {});
  }

  /** Returns undefined if the system cannot start a process now. The other workers must not end with it. */
  #spawnSuccessor({ number, process: { pid } }: Worker): Worker | undefined {
    try {
      return this.#spawn(number);
    } catch (error) {
      this.observe({ kind: 'worker_replacement_failed', workerPid: pid, error });
      return undefined;
    }
  }

  #spawn(number: number): Worker {
    const { promise: listening, resolve: setListening } = Promise.withResolvers<boolean>();
    const { promise: asksForSuccessor, resolve: setAsks } = Promise.withResolvers<boolean>();
    let mayExit = false;
    const process = Bun.spawn([...this.command(number)], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message) => {
        if (message === LISTENING) setListening(true);
        if (isMetricsMessage(message)) source?.receive(message);
        if (message !== REPLACE) return;
        mayExit = true;
        setAsks(true);
      },
    });
    const worker: Worker = { number, process, listening, asksForSuccessor };
    const source = this.metrics?.add(number, (message) => send(worker, message));
    this.#workers.add(worker);
    process.exited.then(() => {
      this.#workers.delete(worker);
      if (source) this.metrics?.remove(source);
      this.#observeExit(process, mayExit || this.#signal !== undefined);
      setListening(false);
      setAsks(false);
    });
    listening.then((isListening) => {
      if (source) source.isServing = isListening;
      if (this.#signal !== undefined) send(worker, this.#signal);
    });
    return worker;
  }

  #observeExit({ pid, exitCode, signalCode }: Bun.Subprocess, mayExit: boolean): void {
    this.observe({
      kind: 'worker_exited',
      workerPid: pid,
      exitCode,
      signal: signalCode === null ? null : String(signalCode),
      expected: mayExit && exitCode === 0,
    });
  }
}

/**
 * Sends a message to a worker. A stop is a message, not a signal. A terminal also signals every process, and SIGTERM makes a
 * worker ask for a successor.
 */
function send({ process }: Worker, message: string): void {
  try {
    process.send(message);
  } catch {
    // The worker has already exited.
  }
}
