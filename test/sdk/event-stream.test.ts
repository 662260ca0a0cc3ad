/** The SDK follows the events: it resumes after every failure, and ends only as its caller or the service says. */
import { describe, expect, spyOn, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import type { FeedEvent, PlannedRetry } from '../../sdk/src/index.ts';
import { Events } from '../../sdk/src/resources/events.ts';
import { until } from '../support/process.ts';
import { error, startScriptedCore } from './scripted-server.ts';

const streamOf = (...script: Parameters<typeof startScriptedCore>) => {
  const server = startScriptedCore(...script);
  return { ...server, events: new Events<'auto'>(server.core) };
};

const event = (number: number) =>
  `id: e-${number}\nevent: pet.created\ndata: {"id":"e-${number}","type":"pet.created"}\n\n`;

/** A response with these chunks, and then silence or the end. */
const stream = (chunks: readonly string[], isOpen = false) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        if (!isOpen) controller.close();
      },
    }),
    { headers: { 'Content-Type': 'text/event-stream;charset=utf-8' } },
  );

/** The ids of the first events. */
async function take(events: AsyncIterable<FeedEvent>, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of events) if (ids.push(id) === count) break;
  return ids;
}

const failureOf = (events: AsyncIterable<unknown>) =>
  Array.fromAsync(events).catch((failure) => failure);

describe('after each failure the stream goes on after its last event', () => {
  test('with the id of an event that is complete, and with a delay that the service chose', async () => {
    await using store = streamOf([
      () => stream(['retry: 2000\n\n', event(1), event(2).slice(0, -1)]),
      error(503, 'unavailable'),
      error(502, 'unavailable', { 'Retry-After': '9' }),
      () => stream([event(2)]),
      () => stream([event(3)]),
    ]);
    const headers = { 'last-event-id': 'e-0' };
    const query = {
      after: 'e-0',
      type: ['pet.created', 'pet.updated'],
      subject: 'pets/7',
    } as const;
    expect(await take(store.events.stream(query, { headers }), 3)).toEqual(['e-1', 'e-2', 'e-3']);
    expect(store.sent('last-event-id')).toEqual(['e-0', 'e-1', 'e-1', 'e-1', 'e-2']);
    expect(new Set(store.requests.map(({ url }) => url.replace(/.*\?/, '')))).toEqual(
      new Set(['after=e-0&type=pet.created&type=pet.updated&subject=pets%2F7']),
    );
    expect(store.sent('accept')).toEqual(Array(5).fill('text/event-stream'));
    // The first retry after a stream that was open, the second and the third in a row, and one after an open stream.
    expect(store.delays).toEqual([2125, 2250, 9500, 2125]);
  });

  test('after a minute, if the service says a longer delay', async () => {
    await using store = streamOf([
      () => stream(['retry: 99999999999\n\n']),
      error(429, 'rate_limited', { 'Retry-After': '61' }),
      () => stream([event(1)]),
    ]);
    await take(store.events.stream(), 1);
    expect(store.delays).toEqual([60_125, 60_250]);
  });

  test('with the id that came before any event', async () => {
    await using store = streamOf([() => stream(['id: e-7\n\n']), () => stream([event(8)])]);
    expect(await take(store.events.stream(), 1)).toEqual(['e-8']);
    expect(store.sent('last-event-id')).toEqual([null, 'e-7']);
  });

  test('with the API key of that time, and hooks learn of it', async () => {
    const keys = ['first', 'second'];
    const calls: unknown[] = [];
    await using store = streamOf([() => stream([event(1)]), () => stream([event(2)])], {
      apiKey: () => keys.shift() ?? '',
      onRequest: ({ path, attempt }) => calls.push(`request ${path} ${attempt}`),
      onResponse: ({ response, error: failure }) => calls.push([response?.status, String(failure)]),
    });
    const onRetry = ({ error: failure, retryAt }: PlannedRetry) =>
      calls.push(['retry', (failure as Error).name, Number(retryAt)]);
    await take(store.events.stream({}, { onRetry }), 2);
    expect(store.sent('authorization')).toEqual(['Bearer first', 'Bearer second']);
    expect(calls).toEqual([
      'request /events/stream 1',
      [
        200,
        expect.stringMatching(
          /^ConnectionError: The stream ended\. \(GET \/events\/stream, host 127\.0\.0\.1:\d+, request /,
        ),
      ],
      ['retry', 'ConnectionError', 375],
      'request /events/stream 2',
      [200, 'undefined'],
    ]);
  });

  test('when apiKey has failed for a later connection', async () => {
    const fail = () => Promise.reject(new Error('The vault is closed.'));
    const keys = [() => 'first', fail, () => 'second'];
    const errors: string[] = [];
    await using store = streamOf([() => stream([event(1)]), () => stream([event(2)])], {
      apiKey: () => keys.shift()?.() ?? fail(),
      onRetry: ({ error: failure }) => errors.push(String(failure)),
    });
    expect(await take(store.events.stream(), 2)).toEqual(['e-1', 'e-2']);
    expect(errors[1]).toBe(
      'ConnectionError: apiKey or cache failed. (GET /events/stream, cause: The vault is closed.)',
    );
    expect(await failureOf(store.events.stream())).toEqual(new Error('The vault is closed.'));
  });

  test('if the service is silent', async () => {
    await using store = streamOf([() => stream([event(1)], true), () => stream([event(2)])]);
    const errors: unknown[] = [];
    const onRetry = ({ error: failure }: PlannedRetry) => errors.push(String(failure));
    // Longer than a busy machine takes for a response.
    const options = { timeoutMs: 2_000, onRetry };
    expect(await take(store.events.stream({}, options), 2)).toHaveLength(2);
    expect(errors).toEqual([
      expect.stringContaining('TimeoutError: The service has sent nothing after 2000 ms.'),
    ]);
  });

  test('after 45 seconds of silence by default', async () => {
    await using store = streamOf([() => stream([event(1)], true)]);
    const timers = spyOn(globalThis, 'setTimeout');
    await take(store.events.stream(), 1);
    expect(timers.mock.calls.map(([, delayMs]) => delayMs)).toContain(45_000);
    timers.mockRestore();
  });

  test('for ever, unless the caller limits the retries in a row', async () => {
    const busy = error(503, 'unavailable');
    const one = () => stream([event(1)]);
    await using store = streamOf([...Array(20).fill(busy), one], { maxRetries: 0 });
    expect(await take(store.events.stream(), 1)).toEqual(['e-1']);
    await using other = streamOf([busy, busy, one, busy, busy, busy]);
    const limited = other.events.stream({}, { maxRetries: 2 });
    expect(await failureOf(limited)).toMatchObject({ status: 503 });
    expect(other.requests).toHaveLength(5);
  });
});

describe('the stream ends', () => {
  test.each([
    [401, 'credential_invalid'],
    [403, 'scope_missing'],
    [410, 'events_expired'],
    [400, 'invalid_parameter'],
  ])('with an ApiError at %d %s', async (status, code) => {
    await using store = streamOf([() => stream([event(1)]), error(status, code)]);
    const failure = await failureOf(store.events.stream());
    expect(failure).toMatchObject({ name: 'ApiError', status, code, path: '/events/stream' });
  });

  test('with an ApiError if the response is no stream, or an event is no JSON or has an integer that is not safe', async () => {
    await using page = streamOf([() => new Response('<html>')]);
    expect((await failureOf(page.events.stream())).message).toBe(
      'The response is no stream. Its Content-Type is text/plain;charset=utf-8.',
    );
    await using broken = streamOf([() => stream(['data: {\n\n'])]);
    expect((await failureOf(broken.events.stream())).name).toBe('ApiError');
    const large = () => stream(['data: {"id":9007199254740993}\n\n']);
    await using numbers = streamOf([large], { int64: 'number' });
    expect((await failureOf(numbers.events.stream())).message).toContain(
      '9007199254740993 is not a safe integer',
    );
  });

  test('with the reason of a signal: before it begins, while it waits for an event, for a retry', async () => {
    await using store = streamOf([() => stream([event(1)], true)]);
    const { events } = store;
    const aborted = AbortSignal.abort('early');
    expect(await failureOf(events.stream({}, { signal: aborted }))).toBe('early');
    expect(store.requests).toHaveLength(0);
    const controller = new AbortController();
    const open = events.stream({}, { signal: controller.signal });
    await open.next();
    const next = open.next().catch((reason) => reason);
    controller.abort('enough');
    expect(await next).toBe('enough');
    expect(await open.next()).toEqual({ done: true, value: undefined });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const late = new AbortController();
    await using busy = streamOf([error(503, 'unavailable')]);
    const onRetry = () => late.abort('late');
    const waiting = busy.events.stream({}, { signal: late.signal, onRetry });
    expect(await failureOf(waiting)).toBe('late');
    expect(busy.requests).toHaveLength(1);
  });

  test('with return, even while next waits, and with its loop, and then its connection is closed', async () => {
    let cancelled = 0;
    const cancel = () => void cancelled++;
    const start = (controller: ReadableStreamDefaultController) =>
      controller.enqueue(new TextEncoder().encode(event(1)));
    const headers = { 'Content-Type': 'text/event-stream' };
    const open = () => new Response(new ReadableStream({ start, cancel }), { headers });
    const deaf = (url: string, init: RequestInit) => fetch(url, { ...init, signal: null });
    await using store = streamOf([open]);
    await using deafStore = streamOf([open], { fetch: deaf });
    const ends: unknown[] = [];
    const onResponse = ({ error: failure }: { readonly error: unknown }) => ends.push(failure);
    const untilCancelled = (count: number) => until(() => cancelled === count);
    const events = store.events.stream({}, { onResponse });
    expect((await events.next()).value?.id).toBe('e-1');
    const next = events.next();
    expect(await events.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    await untilCancelled(1);
    expect(await take(store.events.stream({}, { onResponse }), 1)).toEqual(['e-1']);
    await untilCancelled(2);
    expect(await take(deafStore.events.stream({}, { onResponse }), 1)).toEqual(['e-1']);
    await untilCancelled(3);
    expect(ends).toEqual([undefined, undefined, undefined]);
  });

  test('when onRetry stops it, or a hook throws', async () => {
    await using store = streamOf([() => stream([event(1)])]);
    const stopped = store.events.stream({}, { onRetry: ({ stop }) => stop() });
    expect(await failureOf(stopped)).toMatchObject({ name: 'ConnectionError' });
    const onResponse = () => Promise.reject(new Error('of the hook'));
    expect((await failureOf(store.events.stream({}, { onResponse }))).message).toBe('of the hook');
  });

  test('without a request if its query selects nothing', async () => {
    await using store = streamOf([]);
    expect(() => store.events.stream({ type: [] })).toThrow(TypeError);
  });
});
