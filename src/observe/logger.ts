import { inspect } from 'node:util';
import { type DestinationStream, type Level, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Observation, Observe } from './observation.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type RequestObservation = Observation & { readonly kind: 'request' };
type RareObservation = Exclude<Observation, RequestObservation>;
type FieldOf<T> = T extends unknown ? Exclude<keyof T, 'kind' | 'error'> : never;

const LEVEL_OF: Readonly<Record<Observation['kind'], Level>> = {
  server_started: 'info',
  shutdown_started: 'info',
  shutdown_finished: 'info',
  worker_exited: 'error',
  drain_timeout: 'warn',
  request: 'info',
  request_failed: 'error',
  connection_rejected: 'error',
  orders_expired: 'info',
  background_job_failed: 'error',
  database_damaged: 'error',
};

/** The names of OpenTelemetry's semantic conventions. Where it has none, a name of ours (docs/decisions/0009-log-fields.md). */
const ATTRIBUTE_OF: Readonly<Record<FieldOf<RareObservation>, string>> = {
  url: 'url.full',
  environment: 'deployment.environment.name',
  database: 'animal_store.database.url',
  reason: 'animal_store.reason',
  pid: 'process.pid',
  exitCode: 'process.exit.code',
  signal: 'animal_store.process.signal',
  activeRequests: 'http.server.active_requests',
  requestId: 'animal_store.request.id',
  count: 'animal_store.order.count',
};

/** Writes each observation as one line of JSON with flat keys. */
export function createLogger(
  level: LogLevel,
  clock: Clock,
  destination: DestinationStream,
): Observe {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event.name',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const writesRequests = logger.isLevelEnabled(LEVEL_OF.request);
  const lineStart = cachedLineStart();
  return (observation) => {
    if (observation.kind === 'request') {
      if (writesRequests) destination.write(requestLine(observation, lineStart(clock.now())));
      return;
    }
    logger[LEVEL_OF[observation.kind]](attributesOf(observation), observation.kind);
  };
}

/**
 * The line of a request, as pino would write it, but faster. Nothing in it needs escaping: methods
 * and ids are validated, and routes are constants.
 */
function requestLine(
  { requestId, method, route, status, durationSeconds, keyId }: RequestObservation,
  start: string,
): string {
  const routeText = route === undefined ? '' : `,"http.route":"${route}"`;
  const keyText = keyId === undefined ? '' : `,"animal_store.api_key.id":${keyId}`;
  return `${start}${requestId}","http.request.method":"${method}"${routeText},"http.response.status_code":${status},"http.server.request.duration":${durationSeconds}${keyText},"event.name":"request"}\n`;
}

function attributesOf({ kind: _kind, ...fields }: RareObservation): Record<string, unknown> {
  const attributes = Object.entries(fields).flatMap(([field, value]) =>
    field === 'error'
      ? exceptionOf(value)
      : [[ATTRIBUTE_OF[field as keyof typeof ATTRIBUTE_OF], value]],
  );
  return Object.fromEntries(attributes);
}

/** The message and the stack trace include those of the error's causes. */
function exceptionOf(error: unknown): [string, unknown][] {
  if (!(error instanceof Error)) return [['exception.message', textOf(error)]];
  const { type, message, stack } = pino.stdSerializers.err(error);
  return [
    ['error.type', classOf(error)],
    ['exception.type', type],
    ['exception.message', message],
    ['exception.stacktrace', stack],
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));

/** A short name of the failure, if the error has one: that of a `StorageError`, or the code of the system or of SQLite. */
function classOf(error: Error & { failure?: unknown; code?: unknown }): string | undefined {
  const name = error.failure ?? error.code;
  return typeof name === 'string' ? name : undefined;
}

/** The line of a request up to its id, formatted once for all requests of the same millisecond. */
function cachedLineStart(): (now: number) => string {
  let last = Number.NaN;
  let text = '';
  return (now) => {
    if (now !== last) {
      last = now;
      text = `{"level":"info","time":"${new Date(now).toISOString()}","animal_store.request.id":"`;
    }
    return text;
  };
}
