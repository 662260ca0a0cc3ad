/**
 * How the values of several workers become one. Counters and histograms are summed. A gauge is summed, the highest or the
 * lowest, or has one value `each` with the label `worker`.
 */
type Aggregation = 'sum' | 'max' | 'min' | 'each';

export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly aggregation: Aggregation;
}

const counter = (help: string, ...labels: readonly string[]): MetricDeclaration => ({
  type: 'counter',
  help,
  labels,
  aggregation: 'sum',
});

const histogram = (help: string, ...labels: readonly string[]): MetricDeclaration => ({
  type: 'histogram',
  help,
  labels,
  aggregation: 'sum',
});

const gauge = (
  aggregation: Aggregation,
  help: string,
  ...labels: readonly string[]
): MetricDeclaration => ({ type: 'gauge', help, labels, aggregation });

/** Every metric of the service: the source of docs/telemetry.md. */
export const METRICS = {
  animal_store_build_info: gauge(
    'max',
    'Always 1. The schema is the version that the program needs.',
    'version',
    'commit',
    'schema',
    'runtime',
  ),
  animal_store_http_requests_total: counter(
    'Responses. The operation may be none.',
    'operation',
    'method',
    'status',
  ),
  animal_store_http_request_duration_seconds: histogram(
    'Time from the arrival of a request until its response is ready.',
    'operation',
  ),
  animal_store_http_requests_in_progress: gauge('sum', 'Requests without a response.'),
  animal_store_http_connections: gauge(
    'max',
    'TCP connections to the port of the service (Linux). The state is accepted or queued.',
    'state',
  ),
  animal_store_deprecated_requests_total: counter(
    'Responses of deprecated operations.',
    'operation',
  ),
  animal_store_cache_hits_total: counter(
    'Lookups that found an entry. The cache is credential or response.',
    'cache',
  ),
  animal_store_cache_misses_total: counter('Lookups that found no entry.', 'cache'),
  animal_store_rate_limit_refusals_total: counter('Responses 429.'),
  animal_store_credentials_refused_total: counter('Credentials that were refused.', 'reason'),
  animal_store_request_failures_total: counter(
    'Responses 5xx. The failure is unavailable, full, damaged, deadline_exceeded or other.',
    'failure',
  ),
  animal_store_write_batch_size: histogram('Writes per transaction that several writes may share.'),
  animal_store_write_batch_duration_seconds: histogram(
    'Time of such a transaction until it is durable.',
  ),
  animal_store_sqlite_wal_bytes: gauge('max', 'Size of the -wal file.'),
  animal_store_postgres_connections: gauge(
    'sum',
    'Connections to PostgreSQL. The state is idle or busy.',
    'pool',
    'state',
  ),
  animal_store_postgres_connections_limit: gauge('sum', 'Maximum number of connections.', 'pool'),
  animal_store_postgres_waiting: gauge(
    'sum',
    'Transactions that wait for a connection, and statements that wait behind another one.',
    'pool',
  ),
  animal_store_database_up: gauge('min', '1 if the database can be used, else 0.'),
  animal_store_database_writes_available: gauge('min', '0 while the disk is full, else 1.'),
  animal_store_database_damaged: gauge('max', '1 after damage was found, else 0.'),
  animal_store_database_losses_total: counter('How often the database was lost.'),
  animal_store_standbys_left_out: gauge('max', 'Standbys that no read uses for now.'),
  animal_store_connections_rejected_total: counter(
    'Connections that were closed because they go through a pooler.',
  ),
  animal_store_database_credentials_rejected_total: counter(
    'URLs in the file of the database URL that could not be used.',
  ),
  animal_store_event_streams: gauge('sum', 'Open streams of events.'),
  animal_store_event_feed_lag_seconds: gauge(
    'max',
    'Age of the oldest change missing from the feed. With open streams, at least the time since they last looked at the feed.',
  ),
  animal_store_oldest_event_age_seconds: gauge('max', 'Age of the oldest event that is kept.'),
  animal_store_last_backup_timestamp_seconds: gauge(
    'max',
    'SQLite: when the command backup last succeeded, since the Unix epoch. 0 if never.',
  ),
  animal_store_api_key_next_expiry_timestamp_seconds: gauge(
    'min',
    'When the next API key expires that was not rotated, since the Unix epoch. Missing if none expires.',
  ),
  animal_store_webhook_attempts_total: counter(
    'Attempts to deliver an event. The status is then delivered, pending or failed.',
    'status',
  ),
  animal_store_webhook_oldest_due_age_seconds: gauge(
    'max',
    'How long the oldest due delivery has been due.',
  ),
  animal_store_webhook_endpoints_disabled: gauge(
    'max',
    'Endpoints disabled as failing, gone or restored.',
  ),
  animal_store_background_job_consecutive_failures: gauge(
    'max',
    'Failures of a job since it last succeeded.',
    'name',
  ),
  animal_store_background_job_failures_total: counter('Background jobs that failed.'),
  animal_store_orders_expired_total: counter('Orders that expired.'),
  animal_store_orders_deleted_total: counter('Orders that ORDER_RETENTION deleted.'),
  animal_store_api_key_changes_total: counter(
    'Changes by requests: created, rotated or revoked.',
    'change',
  ),
  animal_store_log_lines_left_out_total: counter('Log lines left out as repetitions.'),
  animal_store_log_lines_dropped_total: counter(
    'Log lines dropped because the log could not be written.',
  ),
  animal_store_clock_jumps_total: counter('How often the wall clock jumped by over a minute.'),
  animal_store_clock_behind_seconds: gauge(
    'max',
    'How far the newest time of the database was in the future at the start.',
  ),
  animal_store_drain_timeouts_total: counter('Shutdowns that did not wait for all requests.'),
  animal_store_shutting_down: gauge('sum', 'Processes that are shutting down.'),
  animal_store_workers: gauge('sum', 'Workers that responded to this scrape.'),
  animal_store_worker_exits_total: counter(
    'Workers that exited. expected is true after a stop or a replacement.',
    'expected',
  ),
  animal_store_worker_replacement_failures_total: counter(
    'Successors of workers that failed to start.',
  ),
  animal_store_workers_unanswered_total: counter(
    'Workers that did not respond to a scrape in time.',
  ),
  animal_store_event_loop_lag_seconds: histogram(
    'How late a timer fires that is due every 100 ms.',
  ),
  process_cpu_seconds_total: counter('User and system processor time.'),
  process_resident_memory_bytes: gauge('each', 'Resident memory.'),
  process_start_time_seconds: gauge('each', 'Start time of the process since the Unix epoch.'),
  process_open_fds: gauge('each', 'Open file descriptors (Linux).'),
  process_max_fds: gauge('each', 'Soft limit of open file descriptors (Linux).'),
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

export type MetricName = keyof typeof METRICS;
