/** Hooks see each attempt, add headers, and stop retries. */
import { describe, expect, test } from 'bun:test';
import { AnimalStore, type AttemptResult, type PlannedRetry } from '../../sdk/src/index.ts';
import { busy, counts, startScriptedServer } from './scripted-server.ts';

test('each attempt begins and ends with a hook, the client before the call', async () => {
  await using server = startScriptedServer(busy(0), counts);
  const events: string[] = [];
  const hooks = (name: string) => ({
    onRequest: ({ method, path, attempt }: { method: string; path: string; attempt: number }) =>
      events.push(`${name} sends ${method} ${path} ${attempt}`),
    onResponse: ({ response, error }: AttemptResult) =>
      events.push(`${name} gets ${response?.status} ${(error as Error | undefined)?.name}`),
    onRetry: ({ request, error }: PlannedRetry) =>
      events.push(`${name} retries ${request.attempt} ${(error as Error).name}`),
  });
  const store = server.connect(hooks('client'));
  await store.inventory.get({ categoryId: 1 }, hooks('call'));
  const both = (text: string) => [`client ${text}`, `call ${text}`];
  expect(events).toEqual([
    ...both('sends GET /store/inventory 1'),
    ...both('gets 503 ApiError'),
    ...both('retries 1 ApiError'),
    ...both('sends GET /store/inventory 2'),
    ...both('gets 200 undefined'),
  ]);
});

test('a hook adds headers to one attempt, and does not see the API key', async () => {
  await using server = startScriptedServer(busy(0), counts);
  const seen: string[] = [];
  const store = server.connect({
    async onRequest({ headers, attempt }) {
      await null;
      if (attempt === 2) headers.set('traceparent', 'trace');
      seen.push(JSON.stringify([...headers]));
    },
    onResponse: ({ request }) => seen.push(JSON.stringify([...request.headers])),
  });
  await store.inventory.get();
  expect(server.sent('traceparent')).toEqual([null, 'trace']);
  expect(server.requests[1]?.headers.get('authorization')).toBe('Bearer secret');
  expect(seen).toHaveLength(4);
  expect(seen.join()).not.toContain('secret');
});

test('an attempt without a response ends with its error', async () => {
  const ends: AttemptResult[] = [];
  const fetch = () => Promise.reject(new Error('refused'));
  const onResponse = (end: AttemptResult) => ends.push(end);
  const address = { baseUrl: 'http://store.example/v1', apiKey: 'key' };
  const store = new AnimalStore({ ...address, fetch, maxRetries: 0, onResponse });
  const failure = await store.inventory.get().catch((error) => error);
  expect(ends).toMatchObject([{ response: undefined, error: failure }]);
  expect(ends[0]?.durationMs).toBeGreaterThanOrEqual(0);
});

describe('a retry', () => {
  test('says why, and when', async () => {
    await using server = startScriptedServer(busy(0), counts);
    const before = Date.now();
    const retries: PlannedRetry[] = [];
    await server.connect().inventory.get({}, { onRetry: (retry) => retries.push(retry) });
    expect(retries).toMatchObject([{ request: { attempt: 1 }, error: { status: 503 } }]);
    expect(Number(retries[0]?.retryAt)).toBeGreaterThanOrEqual(before);
  });

  test.each([
    ['at once', (stop: () => void) => stop()],
    ['while it waits', (stop: () => void) => void setTimeout(stop, 10)],
  ])('is stopped %s: the call fails as after its last retry', async (_name, when) => {
    await using server = startScriptedServer(busy(50));
    const failures: unknown[] = [];
    const onRetry = ({ error, stop }: PlannedRetry) => {
      failures.push(error);
      when(stop);
    };
    const call = server.connect().pets.create({ name: 'Rex', categoryId: 1 }, { onRetry });
    const failure = await call.catch((error) => error);
    expect(failure).toMatchObject({ name: 'ApiError', status: 503, outcomeUnknown: true });
    expect(failures).toEqual([failure]);
    expect(server.requests).toHaveLength(1);
  });

  test('is not announced if there is none', async () => {
    await using server = startScriptedServer(busy(61));
    const onRetry = () => {
      throw new Error('It was announced.');
    };
    const failing = server.connect().inventory.get({}, { onRetry });
    await expect(failing).rejects.toMatchObject({ status: 503 });
    const last = server.connect().inventory.get({}, { onRetry, maxRetries: 0 });
    await expect(last).rejects.toMatchObject({ status: 503 });
  });
});

test.each(['onRequest', 'onResponse', 'onRetry'] as const)(
  'what %s throws rejects the call',
  async (name) => {
    await using server = startScriptedServer(busy(0), counts);
    const hook = () => Promise.reject(new Error('of the hook'));
    const call = server.connect({ [name]: hook }).inventory.get();
    await expect(call).rejects.toThrow('of the hook');
    expect(server.requests).toHaveLength(name === 'onRequest' ? 0 : 1);
  },
);
