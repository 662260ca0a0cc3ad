import { type Clock, toIso } from '../clock.ts';
import { escapeControlCharacters } from '../control-characters.ts';
import {
  attributesOf,
  type LogSource,
  levelOf,
  type RequestObservation,
  requestLevelOf,
  sourceAttributes,
} from './attributes.ts';
import { type LogLevel, loggedLevels } from './level.ts';
import { requestSentence, sentenceOf } from './messages.ts';
import type { Observe } from './observation.ts';

export interface LogDestination {
  /**
   * @param line ends with a line break.
   * @param about lines about requests are the first that may be dropped. Default: `event`.
   */
  write(line: string, about?: 'request' | 'event'): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly source: LogSource;
  readonly clock: Clock;
  readonly destination: LogDestination;
}

/** Writes each observation as one line of JSON with flat keys. */
export function createLogger({ level, source, clock, destination }: LoggerOptions): Observe {
  const constants = sourceAttributes(source);
  const logged = loggedLevels(level);
  const lineStart = cachedLineStart(constants);
  return (observation) => {
    if (observation.kind === 'request') {
      const lineLevel = requestLevelOf(observation);
      if (!logged.has(lineLevel)) return;
      const start = `{"level":"${lineLevel}","message":"${requestSentence(observation)}",${lineStart(observation.respondedAtMs)}`;
      destination.write(requestLine(observation, start), 'request');
      return;
    }
    const lineLevel = levelOf(observation);
    if (!logged.has(lineLevel)) return;
    const line = JSON.stringify({
      level: lineLevel,
      message: sentenceOf(observation),
      time: toIso(clock.now()),
      ...constants,
      ...attributesOf(observation),
      'event.name': observation.kind,
    });
    // JSON leaves C1 and the controls of direction as they are, and a log is read in a terminal.
    destination.write(`${escapeControlCharacters(line)}\n`);
  };
}

/**
 * The line of a request, built as text: faster than an object and `JSON.stringify`. Nothing in it needs escaping: methods,
 * ids and addresses are validated, and routes are constants.
 */
function requestLine(
  {
    requestId,
    method,
    route,
    status,
    durationSeconds,
    keyId,
    resource,
    clientAddress,
    trace,
  }: RequestObservation,
  start: string,
): string {
  const routeText = route === undefined ? '' : `,"http.route":"${route}"`;
  const keyText = keyId === undefined ? '' : `,"animal_store.api_key.id":${keyId}`;
  const resourceText = resource === undefined ? '' : `,"animal_store.resource":"${resource}"`;
  const addressText = clientAddress === undefined ? '' : `,"client.address":"${clientAddress}"`;
  const traceText =
    trace === undefined ? '' : `,"trace_id":"${trace.traceId}","span_id":"${trace.spanId}"`;
  return `${start}${requestId}","http.request.method":"${method}"${routeText},"http.response.status_code":${status},"http.server.request.duration":${durationSeconds}${keyText}${resourceText}${addressText}${traceText},"event.name":"request"}\n`;
}

/**
 * The line of a request from its time to its id, formatted once for all requests of the same millisecond.
 * @param constants the attributes of the process.
 */
function cachedLineStart(constants: Record<string, unknown>): (now: number) => string {
  const attributes = JSON.stringify(constants).slice(1, -1);
  let last = Number.NaN;
  let text = '';
  return (now) => {
    if (now !== last) {
      last = now;
      text = `"time":"${toIso(now)}",${attributes},"animal_store.request.id":"`;
    }
    return text;
  };
}
