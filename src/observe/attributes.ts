import { isHealthCheck } from '../http/request/health-check.ts';
import { failureOf, messageOf, stackTraceOf } from './exception.ts';
import type { LineLevel } from './level.ts';
import type { Observation } from './observation.ts';

export type RequestObservation = Observation & { readonly kind: 'request' };
export type RareObservation = Exclude<Observation, RequestObservation>;
type FieldOf<T> = T extends unknown ? Exclude<keyof T, 'kind' | 'error'> : never;

export const LEVEL_OF: Readonly<Record<Observation['kind'], LineLevel>> = {
  server_started: 'info',
  shutdown_started: 'info',
  shutdown_finished: 'info',
  signal_ignored: 'warn',
  worker_exited: 'error',
  worker_replacement_failed: 'error',
  drain_timeout: 'warn',
  request: 'info',
  request_failed: 'error',
  event_stream_ended: 'info',
  credential_refused: 'warn',
  api_key_created: 'info',
  api_key_rotated: 'info',
  api_key_revoked: 'info',
  connection_rejected: 'error',
  database_credentials_renewed: 'info',
  database_credentials_rejected: 'error',
  standby_left_out: 'warn',
  standby_used_again: 'warn',
  orders_expired: 'info',
  orders_deleted: 'info',
  webhook_attempted: 'info',
  webhook_endpoint_disabled: 'warn',
  background_job_failed: 'error',
  lines_left_out: 'warn',
  log_lines_dropped: 'warn',
  database_unavailable: 'error',
  // With LOG_LEVEL=warn, the log shows the loss and its end.
  database_available: 'warn',
  clock_jumped: 'warn',
  clock_behind: 'warn',
  writes_unavailable: 'error',
  writes_available: 'warn',
  checkpoint_failed: 'error',
  database_damaged: 'error',
};

/** The level of the line of a request. Load balancers repeat health checks every few seconds: a success is no news. */
export const requestLevelOf = ({ route, status }: RequestObservation): LineLevel =>
  status < 400 && isHealthCheck(route) ? 'debug' : LEVEL_OF.request;

/** The level of the line of any other event. */
export const levelOf = (observation: RareObservation): LineLevel =>
  observation.kind === 'worker_exited' && observation.expected
    ? 'info'
    : observation.kind === 'webhook_attempted' && observation.deliveryStatus === 'delivered'
      ? 'debug'
      : LEVEL_OF[observation.kind];

/** The process that writes a log. These attributes are constant, and in each of its lines. */
export interface LogSource {
  readonly version: string;
  readonly instance: string;
  readonly pid: number;
  /** The number of the worker, from 1; undefined if the process is not a worker. */
  readonly worker: number | undefined;
}

/** The names of OpenTelemetry's semantic conventions. Where it has none, a name of ours ("Log fields" in docs/decisions.md). */
export const ATTRIBUTE_OF: Readonly<Record<FieldOf<RareObservation> | keyof LogSource, string>> = {
  version: 'service.version',
  instance: 'service.instance.id',
  pid: 'process.pid',
  worker: 'animal_store.worker.number',
  url: 'url.full',
  environment: 'deployment.environment.name',
  database: 'animal_store.database.url',
  commit: 'vcs.ref.head.revision',
  schemaVersion: 'animal_store.schema.version',
  reason: 'animal_store.reason',
  delaySeconds: 'animal_store.shutdown.delay',
  workerPid: 'animal_store.worker.pid',
  exitCode: 'process.exit.code',
  signal: 'animal_store.process.signal',
  expected: 'animal_store.process.exit_expected',
  activeRequests: 'http.server.active_requests',
  requestId: 'animal_store.request.id',
  keyId: 'animal_store.api_key.id',
  keyName: 'animal_store.api_key.name',
  hint: 'animal_store.api_key.hint',
  scopes: 'animal_store.api_key.scopes',
  expiresAt: 'animal_store.api_key.expires_at',
  openSeconds: 'animal_store.stream.duration',
  sentEvents: 'animal_store.stream.event_count',
  successorId: 'animal_store.api_key.successor_id',
  actorKeyId: 'animal_store.actor.api_key.id',
  clientAddress: 'client.address',
  count: 'animal_store.order.count',
  event: 'animal_store.log.event',
  leftOut: 'animal_store.log.left_out_count',
  endpointId: 'animal_store.webhook.endpoint_id',
  eventId: 'animal_store.event.id',
  deliveryStatus: 'animal_store.webhook.delivery_status',
  attempts: 'animal_store.webhook.attempt_count',
  responseStatus: 'http.response.status_code',
  durationSeconds: 'http.client.request.duration',
  droppedLines: 'animal_store.log.dropped_count',
  cause: 'exception.message',
  unavailableSeconds: 'animal_store.database.unavailable_duration',
  jumpSeconds: 'animal_store.clock.jump',
  behindSeconds: 'animal_store.clock.behind',
  failedWrites: 'animal_store.write.failed_count',
  failedRequests: 'animal_store.request.failed_count',
};

export const sourceAttributes = (source: LogSource): Record<string, unknown> => rename(source);

export function attributesOf({ kind: _kind, ...fields }: RareObservation): Record<string, unknown> {
  if (!('error' in fields)) return rename(fields);
  const { error, ...others } = fields;
  return { ...rename(others), ...exceptionAttributes(error) };
}

const rename = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      ATTRIBUTE_OF[field as keyof typeof ATTRIBUTE_OF],
      value,
    ]),
  );

function exceptionAttributes(error: unknown): Record<string, unknown> {
  const message = { 'exception.message': messageOf(error) };
  if (!(error instanceof Error)) return message;
  return {
    'error.type': failureOf(error),
    'exception.type': error.name,
    ...message,
    'exception.stacktrace': stackTraceOf(error),
  };
}
