/** The log: one line of JSON for each observation, with the cause of what failed. */
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
  durationMs: 1.5,
  keyId: 1,
};

test('a request is one line with its time, id, method, route, status, duration and key id', () => {
  const { kind: event, ...fields } = request;
  expect(logged('info', request)).toEqual([
    { level: 'info', time: '2027-01-01T12:00:00.000Z', event, ...fields },
  ]);
});

test('a failure is an error with its cause, under the request id', () => {
  const error = new Error('the disk is gone');
  expect(logged('info', { kind: 'request_failed', requestId: 'r1', error })).toMatchObject([
    {
      level: 'error',
      event: 'request_failed',
      requestId: 'r1',
      error: { type: 'Error', message: 'the disk is gone', stack: expect.any(String) },
    },
  ]);
});

test('what is less important than the level is not written', () => {
  const failed: Observation = { kind: 'background_job_failed', error: new Error('x') };
  expect(logged('error', request, failed)).toMatchObject([{ event: 'background_job_failed' }]);
  expect(logged('silent', request, failed)).toEqual([]);
});
