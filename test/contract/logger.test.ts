/** The log has one line of JSON per observation. */
import { expect, test } from 'bun:test';
import type { LogSource } from '../../src/observe/attributes.ts';
import type { LogLevel } from '../../src/observe/level.ts';
import { createLogger } from '../../src/observe/logger.ts';
import type { Observation } from '../../src/observe/observation.ts';

const NOON = Date.parse('2027-01-01T12:00:00Z');

const SOURCE = { version: '1.2.3', instance: 'store-1', pid: 4711, worker: 2 };

/** Each line, and what it is about. */
function written(level: LogLevel, observations: readonly Observation[], source: LogSource) {
  const lines: { text: string; about: string | undefined }[] = [];
  const observe = createLogger({
    level,
    source,
    clock: { now: () => NOON },
    destination: { write: (text, about) => void lines.push({ text, about }) },
  });
  for (const observation of observations) observe(observation);
  return lines;
}

const logged = (level: LogLevel, ...observations: Observation[]): Record<string, unknown>[] =>
  written(level, observations, SOURCE).map(({ text }) => JSON.parse(text));

/** The attributes of each line. */
const CONSTANTS = {
  time: '2027-01-01T12:00:00.000Z',
  'service.version': '1.2.3',
  'service.instance.id': 'store-1',
  'process.pid': 4711,
  'animal_store.worker.number': 2,
};

const request: Observation = {
  kind: 'request',
  requestId: 'r1',
  respondedAtMs: NOON,
  method: 'GET',
  route: '/v1/pets',
  operationIndex: 0,
  status: 200,
  durationSeconds: 0.0015,
  keyId: 1,
  resource: undefined,
  clientAddress: undefined,
  trace: undefined,
  credentialCache: 0,
  responseCache: 0,
};

test('a request is logged with its time, id, method, route, status, duration and key id', () => {
  expect(logged('info', request)).toEqual([
    {
      level: 'info',
      message: 'GET /v1/pets 200 in 1.5 ms',
      ...CONSTANTS,
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

test('a request is logged with the resource that it changed, and with what is known of its client', () => {
  const trace = { traceId: 'aa', spanId: 'bb' };
  const client = { clientAddress: '192.0.2.7', trace };
  expect(logged('info', { ...request, ...client, resource: 'pets/7' })).toMatchObject([
    {
      'animal_store.resource': 'pets/7',
      'client.address': '192.0.2.7',
      trace_id: 'aa',
      span_id: 'bb',
    },
  ]);
});

test('a request without a route and a key is logged without these fields', () => {
  const line = logged('info', { ...request, route: undefined, keyId: undefined })[0];
  const absent = ['http.route', 'animal_store.api_key.id', 'animal_store.resource'];
  expect(line).not.toContainAnyKeys([...absent, 'client.address', 'trace_id', 'span_id']);
});

test('a failed request is logged as an error with its id, its exception and the cause', () => {
  const error = new TypeError('The disk is gone.', { cause: 'unplugged' });
  expect(logged('info', { kind: 'request_failed', requestId: 'r1', error })).toEqual([
    {
      level: 'error',
      message: 'A request failed: The disk is gone: unplugged',
      ...CONSTANTS,
      'event.name': 'request_failed',
      'animal_store.request.id': 'r1',
      'exception.type': 'TypeError',
      'exception.message': 'The disk is gone: unplugged',
      'exception.stacktrace': expect.stringMatching(
        /The disk is gone\.\n {4}at [\s\S]+caused by: Error: unplugged$/,
      ),
    },
  ]);
});

test('a cause is in the message and in the stack trace once, even if errors repeat the message of their cause', () => {
  const cause = new Error('ECONNREFUSED 127.0.0.1:5432.');
  const lost = new RangeError(cause.message, { cause });
  const message = 'The database cannot be reached (ECONNREFUSED 127.0.0.1:5432).';
  const error = new Error(message, { cause: lost });
  const [line] = logged('info', { kind: 'background_job_failed', error });
  expect(line?.['exception.message']).toBe(message);
  const trace = String(line?.['exception.stacktrace']);
  expect(trace.split('ECONNREFUSED')).toHaveLength(2);
  expect(trace).toMatch(
    /^Error: The database.*\n {4}at [\s\S]+\ncaused by: RangeError\n {4}at [\s\S]+\ncaused by: Error\n {4}at /,
  );
});

test('all causes of a failure with several causes are in the message, and then its own cause', () => {
  const causes = [new Error('no route to ::1'), new Error('no route to 127.0.0.1')];
  const cause = new Error('the network is down');
  const error = new AggregateError(causes, 'no address works', { cause });
  const message = 'no address works: no route to ::1: no route to 127.0.0.1: the network is down';
  expect(logged('info', { kind: 'background_job_failed', error })).toMatchObject([
    { 'exception.message': message },
  ]);
});

test('a circle of causes is logged, eight times in the stack trace', () => {
  const error = new Error('a');
  error.cause = error;
  const [line] = logged('info', { kind: 'background_job_failed', error });
  expect(line?.['exception.message']).toBe('a');
  expect(String(line?.['exception.stacktrace']).split('caused by: ')).toHaveLength(8);
});

test('a process that is not a worker has no worker number', () => {
  const observations: Observation[] = [request, { kind: 'shutdown_finished' }];
  for (const { text } of written('info', observations, { ...SOURCE, worker: undefined })) {
    expect(JSON.parse(text)).toMatchObject({ 'process.pid': 4711 });
    expect(text).not.toContain('worker');
  }
});

test('each line has a short sentence for people', () => {
  const error = new Error('x'.repeat(5_000));
  const observations: Observation[] = [
    { ...request, method: 'POST', durationSeconds: 12.000_04 },
    { ...request, route: undefined, status: 404, durationSeconds: 0.000_02 },
    { kind: 'database_unavailable', reason: 'The database cannot be reached: it is off.' },
    { kind: 'background_job_failed', error },
    { kind: 'background_job_failed', error: 'x'.repeat(200) },
    { kind: 'worker_exited', workerPid: 7, exitCode: null, signal: 'SIGKILL', expected: false },
    { kind: 'shutdown_finished' },
  ];
  expect(logged('info', ...observations).map(({ message }) => message)).toEqual([
    'POST /v1/pets 200 in 12000 ms',
    'GET 404 in 0 ms',
    'The database cannot be reached: it is off',
    `A background job failed: ${'x'.repeat(200)}…`,
    `A background job failed: ${'x'.repeat(200)}`,
    'The worker process 7 exited with SIGKILL',
    'The service has stopped',
  ]);
});

test.each([
  ['no reason', 'no reason'],
  [{ code: 5 }, '{ code: 5 }'],
])('a thrown value that is not an Error, such as %j, is logged as text', (error, text) => {
  const observation: Observation = { kind: 'background_job_failed', error };
  expect(logged('info', observation)).toMatchObject([{ 'exception.message': text }]);
});

test('events below the log level are not logged', () => {
  const failed: Observation = { kind: 'background_job_failed', error: new Error('x') };
  const exit = { kind: 'worker_exited', workerPid: 7, exitCode: 0, signal: null } as const;
  const exits = [true, false].map((expected) => ({ ...exit, expected }));
  expect(logged('error', request, failed, ...exits)).toMatchObject([
    { 'event.name': 'background_job_failed' },
    { 'event.name': 'worker_exited', 'animal_store.process.exit_expected': false },
  ]);
  expect(logged('silent', request, failed)).toEqual([]);
});

const healthCheck = { ...request, keyId: undefined, operationIndex: -1 };

test.each(['/livez', '/readyz'])(
  'a health check of %s that succeeds is logged with its route at debug only',
  (route) => {
    const check: Observation = { ...healthCheck, route };
    expect(logged('info', check)).toEqual([]);
    expect(logged('debug', check)).toMatchObject([
      { level: 'debug', 'http.route': route, 'http.response.status_code': 200 },
    ]);
  },
);

test('a health check that fails is logged at info, as every other request', () => {
  const check: Observation = { ...healthCheck, route: '/readyz', status: 503 };
  expect(logged('info', check)).toMatchObject([{ level: 'info', 'http.route': '/readyz' }]);
  expect(logged('info', { ...healthCheck, route: undefined })).toMatchObject([{ level: 'info' }]);
});

test('a line has the control characters of a name escaped, because it is read in a terminal', () => {
  const keyName = 'a\u001b[2J\n\u007f\u009b31m\u202eb\u2066\u061c\u200e\u200f';
  const created: Observation = {
    kind: 'api_key_created',
    keyId: 1,
    keyName,
    scopes: ['pets:read'],
    expiresAt: undefined,
    reason: 'first start',
  };
  const [line] = written('info', [created], SOURCE);
  expect(line?.text).toContain(
    'a\\u001b[2J\\n\\u007f\\u009b31m\\u202eb\\u2066\\u061c\\u200e\\u200f',
  );
  expect(JSON.parse(line?.text ?? '')).toMatchObject({ 'animal_store.api_key.name': keyName });
});

test('the destination learns which lines are about requests, which it may drop first', () => {
  const full: Observation = { kind: 'writes_unavailable', reason: 'full' };
  const lines = written('info', [request, full], SOURCE);
  expect(lines.map(({ about }) => about)).toEqual(['request', undefined]);
});
