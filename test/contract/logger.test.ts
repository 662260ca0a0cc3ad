/** The log has one line of JSON per observation. */
import { expect, test } from 'bun:test';
import { createLogger, type LogLevel } from '../../src/observe/logger.ts';
import type { Observation } from '../../src/observe/observation.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

function logged(level: LogLevel, ...observations: Observation[]): Record<string, unknown>[] {
  const lines: string[] = [];
  const observe = createLogger(
    level,
    { now: () => NOON },
    { write: (line) => void lines.push(line) },
  );
  for (const observation of observations) observe(observation);
  return lines.map((line) => JSON.parse(line));
}

const request: Observation = {
  kind: 'request',
  requestId: 'r1',
  method: 'GET',
  route: '/v1/pets',
  status: 200,
  durationSeconds: 0.0015,
  keyId: 1,
};

test('a request is logged with its time, id, method, route, status, duration and key id', () => {
  expect(logged('info', request)).toEqual([
    {
      level: 'info',
      time: '2027-01-01T12:00:00.000Z',
      'animal_store.request.id': 'r1',
      'http.request.method': 'GET',
      'http.route': '/v1/pets',
      'http.response.status_code': 200,
      'http.server.request.duration': 0.0015,
      'animal_store.api_key.id': 1,
      'event.name': 'request',
    },
  ]);
});

test('a request without a route and a key is logged without these fields', () => {
  const line = logged('info', { ...request, route: undefined, keyId: undefined })[0];
  expect(line).not.toContainAnyKeys(['http.route', 'animal_store.api_key.id']);
});

test('a failed request is logged as an error with its id, its exception and the cause', () => {
  const error = new TypeError('the disk is gone', { cause: new Error('unplugged') });
  expect(logged('info', { kind: 'request_failed', requestId: 'r1', error })).toEqual([
    {
      level: 'error',
      time: '2027-01-01T12:00:00.000Z',
      'event.name': 'request_failed',
      'animal_store.request.id': 'r1',
      'exception.type': 'TypeError',
      'exception.message': 'the disk is gone: unplugged',
      'exception.stacktrace': expect.stringMatching(
        /the disk is gone[\s\S]+caused by: .*unplugged/,
      ),
    },
  ]);
});

test('a thrown value that is not an Error is logged as text', () => {
  const observation: Observation = { kind: 'background_job_failed', error: 'no reason' };
  expect(logged('info', observation)).toMatchObject([{ 'exception.message': 'no reason' }]);
});

test('events below the log level are not logged', () => {
  const failed: Observation = { kind: 'background_job_failed', error: new Error('x') };
  expect(logged('error', request, failed)).toMatchObject([
    { 'event.name': 'background_job_failed' },
  ]);
  expect(logged('silent', request, failed)).toEqual([]);
});
