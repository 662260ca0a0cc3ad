import { shareRuns } from '../maybe-promise.ts';
import { aggregate } from '../observe/metrics/exposition.ts';
import { type Snapshot, single, totalsOf, withWorker } from '../observe/metrics/families.ts';
import type { Metrics } from '../observe/metrics/metrics.ts';
import { COLLECT_METRICS, type MetricsMessage } from './worker-messages.ts';

/** A worker that has not responded after this time is left out of a scrape. Prometheus waits 10 s by default. */
const DEADLINE_MS = 1_000;

/** The metrics of one worker, as the supervisor knows them. */
export class WorkerSource {
  /** The last metrics that it sent. */
  last: Snapshot = [];
  /** Whether it can respond. */
  isServing = false;
  #settle = (_hasResponded: boolean): void => {};

  constructor(
    private readonly number: number,
    private readonly send: (message: string) => void,
  ) {}

  receive({ metrics }: MetricsMessage): void {
    this.last = withWorker(metrics, String(this.number));
    this.#settle(true);
  }

  /** Resolves with false if the worker does not respond in time, or exits. */
  ask(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), DEADLINE_MS);
    this.#settle = resolve;
    this.send(COLLECT_METRICS);
    return promise.finally(() => clearTimeout(timer));
  }

  end(): void {
    this.#settle(false);
  }
}

/**
 * Collects the metrics of all workers. Counters never go down. Counters of a worker that has exited or does not respond stay as
 * the worker sent them last. What a killed worker counted since the last scrape is lost.
 */
export class WorkerMetrics {
  readonly #workers = new Set<WorkerSource>();
  /** The counters and histograms of all workers that have exited. */
  #ended: Snapshot = [];
  #unanswered = 0;

  /** @param own the metrics of the supervisor. */
  constructor(private readonly own: Metrics) {}

  add(number: number, send: (message: string) => void): WorkerSource {
    const worker = new WorkerSource(number, send);
    this.#workers.add(worker);
    return worker;
  }

  /** Called when the worker has exited. */
  remove(worker: WorkerSource): void {
    this.#workers.delete(worker);
    this.#ended = aggregate([this.#ended, totalsOf(worker.last)]);
    worker.end();
  }

  /** Simultaneous scrapes share one collection. */
  readonly collect = shareRuns(() => this.#collect());

  async #collect(): Promise<Snapshot[]> {
    const own = withWorker(await this.own.collect(), 'supervisor');
    const asked = [...this.#workers].filter(({ isServing }) => isServing);
    const responded = new Set<WorkerSource>();
    const ask = async (worker: WorkerSource): Promise<void> => {
      if (await worker.ask()) responded.add(worker);
    };
    await Promise.all(asked.map(ask));
    // From here on nothing waits: each worker is either one of the workers or has ended.
    const silent = asked.filter((worker) => this.#workers.has(worker) && !responded.has(worker));
    this.#unanswered += silent.length;
    const workers = [...this.#workers].map((worker) =>
      responded.has(worker) ? worker.last : totalsOf(worker.last),
    );
    return [
      // The supervisor uses no database, so it does not know whether one is available.
      own.filter(({ aggregator }) => aggregator !== 'min'),
      this.#ended,
      ...workers,
      [
        single('animal_store_workers', responded.size),
        single('animal_store_workers_unanswered_total', this.#unanswered),
      ],
    ];
  }
}
