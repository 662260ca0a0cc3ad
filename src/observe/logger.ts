import { type DestinationStream, type Level, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Observation, Observe } from './observation.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LEVEL_OF: Record<Observation['kind'], Level> = {
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  drain_timed_out: 'warn',
  request: 'info',
  request_failed: 'error',
  orders_expired: 'info',
  housekeeping_failed: 'error',
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
  return ({ kind, ...fields }) => logger[LEVEL_OF[kind]](fields, kind);
}
