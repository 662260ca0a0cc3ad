import { monotonicMs, systemClock } from '../../clock.ts';
import { countDescriptors, readDescriptorLimit } from '../descriptors.ts';
import { Buckets } from './buckets.ts';
import { family, type MetricFamily, single } from './families.ts';

const LAG_INTERVAL_MS = 100;
const LAG_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics of the process itself, under the names that Prometheus client libraries share. */
export class ProcessMetrics {
  readonly #startSeconds = systemClock.now() / 1000 - process.uptime();
  /** Read once because it cannot be read when no descriptor is left. */
  readonly #limit = readDescriptorLimit();
  readonly #lag = new Buckets('animal_store_event_loop_lag_seconds', LAG_SECONDS);

  /** Starts to measure the event loop. The timer does not keep the process running. */
  constructor() {
    let lastMs = monotonicMs();
    setInterval(() => {
      const nowMs = monotonicMs();
      this.#lag.observe(Math.max(0, nowMs - lastMs - LAG_INTERVAL_MS) / 1000);
      lastMs = nowMs;
    }, LAG_INTERVAL_MS).unref();
  }

  collect(): MetricFamily[] {
    const { user, system } = process.cpuUsage();
    const families = [
      single('process_cpu_seconds_total', (user + system) / 1e6),
      ...residentMemory(),
      single('process_start_time_seconds', this.#startSeconds),
      family('animal_store_event_loop_lag_seconds', this.#lag.samples()),
    ];
    if (this.#limit === undefined) return families;
    return [
      ...families,
      single('process_max_fds', this.#limit),
      // It cannot be counted only when none is left.
      single('process_open_fds', countDescriptors() ?? this.#limit),
    ];
  }
}

/** Empty while no descriptor is left: the runtime then cannot read it. */
function residentMemory(): MetricFamily[] {
  try {
    return [single('process_resident_memory_bytes', process.memoryUsage.rss())];
  } catch {
    return [];
  }
}
