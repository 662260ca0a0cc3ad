import { type DestinationStream, type Level, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Observation, Observe } from './observation.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LEVEL_OF: Record<Observation['kind'], Level> = {
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  worker_ended: 'error',
  drain_timed_out: 'warn',
  request: 'info',
  request_failed: 'error',
  session_refused: 'error',
  orders_expired: 'info',
  background_job_failed: 'error',
  database_damaged: 'error',
};

/** Writes each observation as one line of JSON. */
export function createLogger(
  level: LogLevel,
  clock: Clock,
  destination: DestinationStream,
): Observe {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const writesRequests = logger.isLevelEnabled(LEVEL_OF.request);
  const timeText = textOfTime();
  return (observation) => {
    if (observation.kind === 'request') {
      if (writesRequests) destination.write(lineOf(observation, timeText(clock.now())));
      return;
    }
    const { kind, ...fields } = observation;
    logger[LEVEL_OF[kind]](fields, kind);
  };
}

/**
 * The line of a request, as pino would write it. There is one for every request, and nothing in it
 * needs escaping: methods and ids are checked, routes are ours.
 */
function lineOf(
  { requestId, method, route, status, durationMs, keyId }: Observation & { kind: 'request' },
  time: string,
): string {
  const routeText = route === undefined ? '' : `"route":"${route}",`;
  const keyText = keyId === undefined ? '' : `"keyId":${keyId},`;
  return `{"level":"info","time":"${time}","requestId":"${requestId}","method":"${method}",${routeText}"status":${status},"durationMs":${durationMs},${keyText}"event":"request"}\n`;
}

/** RFC 3339 in UTC, made once for all that happens in one millisecond. */
function textOfTime(): (now: number) => string {
  let last = Number.NaN;
  let text = '';
  return (now) => {
    if (now !== last) {
      last = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}
