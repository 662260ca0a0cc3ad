import { Counter, Gauge, Registry } from 'prom-client';
import { DeadlineExceeded } from '../../http/middleware/deadline.ts';
import { REFUSAL_REASONS } from '../../http/request/principal.ts';
import type { RareObservation } from '../attributes.ts';
import { failureOf } from '../exception.ts';
import { METRICS, type MetricDeclaration, type MetricName } from './catalogue.ts';
import { aggregatorOf, type Snapshot } from './families.ts';

type OfKind<Kind extends RareObservation['kind']> = RareObservation & { readonly kind: Kind };

type Interpreters = {
  readonly [Kind in RareObservation['kind']]?: (observation: OfKind<Kind>) => void;
};

const FAILURES = ['unavailable', 'full', 'damaged', 'deadline_exceeded', 'other'];

/** One of a few names: codes of the system and of the engines are `other`. */
function failureLabel(error: unknown): string {
  if (error instanceof DeadlineExceeded) return 'deadline_exceeded';
  const failure = failureOf(error);
  return failure !== undefined && FAILURES.includes(failure) ? failure : 'other';
}

/** Counts rare events with the library: these cost a lookup of labels each. */
export class EventMetrics {
  readonly #registry = new Registry();
  readonly #credentialsRefused = this.#counter('animal_store_credentials_refused_total');
  readonly #requestFailures = this.#counter('animal_store_request_failures_total');
  readonly #isUp = this.#gauge('animal_store_database_up');
  readonly #isWritable = this.#gauge('animal_store_database_writes_available');
  readonly #isDamaged = this.#gauge('animal_store_database_damaged');
  readonly #losses = this.#counter('animal_store_database_losses_total');
  readonly #standbysLeftOut = this.#gauge('animal_store_standbys_left_out');
  readonly #rejected = this.#counter('animal_store_connections_rejected_total');
  readonly #rejectedUrls = this.#counter('animal_store_database_credentials_rejected_total');
  readonly #jobFailures = this.#counter('animal_store_background_job_failures_total');
  readonly #ordersExpired = this.#counter('animal_store_orders_expired_total');
  readonly #ordersDeleted = this.#counter('animal_store_orders_deleted_total');
  readonly #webhooks = this.#counter('animal_store_webhook_attempts_total');
  readonly #keyChanges = this.#counter('animal_store_api_key_changes_total');
  readonly #linesLeftOut = this.#counter('animal_store_log_lines_left_out_total');
  readonly #clockJumps = this.#counter('animal_store_clock_jumps_total');
  readonly #drainTimeouts = this.#counter('animal_store_drain_timeouts_total');
  readonly #isShuttingDown = this.#gauge('animal_store_shutting_down');
  readonly #workerExits = this.#counter('animal_store_worker_exits_total');
  readonly #failedReplacements = this.#counter('animal_store_worker_replacement_failures_total');
  readonly #leftOut = new Set<string>();

  constructor() {
    this.#isUp.set(1);
    this.#isWritable.set(1);
    // Each series exists from the start.
    for (const reason of REFUSAL_REASONS) this.#credentialsRefused.inc({ reason }, 0);
    for (const failure of FAILURES) this.#requestFailures.inc({ failure }, 0);
    for (const change of ['created', 'rotated', 'revoked']) this.#keyChanges.inc({ change }, 0);
    for (const status of ['delivered', 'pending', 'failed']) this.#webhooks.inc({ status }, 0);
    for (const expected of ['true', 'false']) this.#workerExits.inc({ expected }, 0);
  }

  readonly #interpreters: Interpreters = {
    credential_refused: ({ reason }) => this.#credentialsRefused.inc({ reason }),
    request_failed: ({ error }) => this.#requestFailures.inc({ failure: failureLabel(error) }),
    database_unavailable: () => {
      this.#losses.inc();
      this.#isUp.set(0);
    },
    database_available: () => this.#isUp.set(1),
    database_damaged: () => {
      this.#isUp.set(0);
      this.#isDamaged.set(1);
    },
    writes_unavailable: () => this.#isWritable.set(0),
    writes_available: () => this.#isWritable.set(1),
    standby_left_out: ({ database }) => {
      this.#leftOut.add(database);
      this.#standbysLeftOut.set(this.#leftOut.size);
    },
    standby_used_again: ({ database }) => {
      this.#leftOut.delete(database);
      this.#standbysLeftOut.set(this.#leftOut.size);
    },
    connection_rejected: () => this.#rejected.inc(),
    database_credentials_rejected: () => this.#rejectedUrls.inc(),
    background_job_failed: () => this.#jobFailures.inc(),
    orders_expired: ({ count }) => this.#ordersExpired.inc(count),
    orders_deleted: ({ count }) => this.#ordersDeleted.inc(count),
    webhook_attempted: ({ deliveryStatus }) => this.#webhooks.inc({ status: deliveryStatus }),
    api_key_created: () => this.#keyChanges.inc({ change: 'created' }),
    api_key_rotated: () => this.#keyChanges.inc({ change: 'rotated' }),
    api_key_revoked: () => this.#keyChanges.inc({ change: 'revoked' }),
    lines_left_out: ({ leftOut }) => this.#linesLeftOut.inc(leftOut),
    clock_jumped: () => this.#clockJumps.inc(),
    drain_timeout: () => this.#drainTimeouts.inc(),
    shutdown_started: () => this.#isShuttingDown.set(1),
    worker_exited: ({ expected }) => this.#workerExits.inc({ expected: String(expected) }),
    worker_replacement_failed: () => this.#failedReplacements.inc(),
  };

  observe<Kind extends RareObservation['kind']>(observation: OfKind<Kind>): void {
    const kind: Kind = observation.kind;
    const interpret: Interpreters[Kind] = this.#interpreters[kind];
    interpret?.(observation);
  }

  async collect(): Promise<Snapshot> {
    return (await this.#registry.getMetricsAsJSON()) as unknown as Snapshot;
  }

  #counter(name: MetricName): Counter {
    return new Counter(this.#configuration(name));
  }

  #gauge(name: MetricName): Gauge {
    return new Gauge(this.#configuration(name));
  }

  #configuration(name: MetricName) {
    const declaration: MetricDeclaration = METRICS[name];
    return {
      name,
      help: declaration.help,
      labelNames: declaration.labels,
      aggregator: aggregatorOf(declaration),
      registers: [this.#registry],
    };
  }
}
