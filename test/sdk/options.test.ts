import { describe, expect, test } from 'bun:test';
import { AnimalStore, type AnimalStoreOptions } from '../../sdk/src/index.ts';
import { startScriptedServer } from './scripted-server.ts';

const VALID = { baseUrl: 'https://store.example/v1', apiKey: 'ask_live_x' };
const create = (options: object) => () =>
  new AnimalStore({ ...VALID, ...options } as AnimalStoreOptions);

describe('an invalid option is refused, by its name', () => {
  test.each([
    'store.example/v1',
    '/v1',
    '',
    'ftp://store.example/v1',
    'localhost:8080/v1',
    'https://user:secret@store.example/v1',
    'https://store.example/v1?a=1',
    'https://store.example/v1?',
    'https://store.example/v1#top',
    undefined,
  ])('baseUrl: %p', (baseUrl) => {
    expect(create({ baseUrl })).toThrow(
      /^baseUrl must be a URL such as https:\/\/store.example\/v1, without credentials, query and fragment\.$/,
    );
  });

  test.each(['', ' ', 'a b', 'käse', 'a\n', undefined, 7])('apiKey: %p', (apiKey) => {
    expect(create({ apiKey })).toThrow(/^apiKey must be/);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '10'])(
    'timeoutMs: %p',
    (timeoutMs) => {
      expect(create({ timeoutMs })).toThrow(
        /^timeoutMs must be greater than 0 and at most 2147483647\.$/,
      );
    },
  );

  test.each([-1, 1.5, Number.POSITIVE_INFINITY, '2'])('maxRetries: %p', (maxRetries) => {
    expect(create({ maxRetries })).toThrow(/^maxRetries must be/);
  });

  test.each(['Number', 'BigInt', null])('int64: %p', (int64) => {
    expect(create({ int64 })).toThrow(/^int64 must be/);
  });

  // A text such as off would count as true: the client would repeat a creation that the service then makes twice.
  test.each([
    ['extensions', 'off', 'a boolean'],
    ['strict', 'off', 'a boolean'],
    ['fetch', null, 'a function'],
  ])('%s: %p', (name, value, allowed) => {
    expect(create({ [name]: value })).toThrow(`${name} must be ${allowed}.`);
  });
});

describe('an unknown option is refused, with those that are allowed', () => {
  const store = new AnimalStore({ ...VALID, fetch: async () => Response.json([]) });
  const reading = ': signal, headers, timeoutMs, maxRetries, onRequest, onResponse, onRetry';
  const creating = `${reading}, idempotencyKey`;
  const changing = `${reading}, ifMatch`;
  const dogs = { name: 'Dogs' };

  test('of a client', () => {
    expect(create({ timeout: 5 })).toThrow(
      new TypeError(
        'timeout is not an option here. Allowed: baseUrl, apiKey, timeoutMs, maxRetries, int64, extensions, strict, cache, ' +
          'userAgent, fetch, onRequest, onResponse, onRetry.',
      ),
    );
    expect(create({ timeout: undefined, signal: undefined })).not.toThrow();
  });

  const misspelt = { timeout: 5 } as object;
  const precondition = { ifMatch: '"a"' } as object;
  test.each<[string, () => PromiseLike<unknown>, string]>([
    ['a read', () => store.inventory.get({}, misspelt), reading],
    ['a precondition of a read', () => store.inventory.get({}, precondition), reading],
    ['a list', () => store.pets.list({}, misspelt).toArray(), reading],
    ['toArray', () => store.pets.list().toArray({ max: 5 } as object), ': limit'],
    ['a stream', () => store.events.stream({}, misspelt).next(), reading],
    ['a creation', () => store.pets.create({ name: 'Rex', categoryId: 1 }, misspelt), creating],
    ['an edit', () => store.orders.edit(1, () => undefined, misspelt), reading],
    ['a load', () => store.pets.bulkCreate([], misspelt), `${creating}, from, onProgress`],
    ['a change', () => store.pets.update(1, {}, misspelt), changing],
    ['a removal', () => store.categories.delete(1, misspelt), changing],
    ['a put', () => store.categories.put(1, dogs, misspelt), `${changing}, ifNoneMatch`],
    ['a request', () => store.request('POST', '/pets', { body: {}, ...misspelt }), creating],
  ])('of %s', async (_name, call, allowed) => {
    const failure = await Promise.resolve(call()).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/^TypeError: (timeout|ifMatch|max) is not an option here/);
    expect(String(failure)).toEndWith(`Allowed${allowed}.`);
  });
});

test('slashes at the end of the base URL do not matter', async () => {
  await using server = startScriptedServer(() => Response.json([]));
  const store = new AnimalStore({ ...VALID, baseUrl: `${server.baseUrl}//` });
  await store.pets.list().pages().next();
  expect(server.requests[0]?.url).toBe(`${server.baseUrl}/pets`);
});

test('invalid options of a call reject before a request is sent', async () => {
  await using server = startScriptedServer(() => Response.json({}));
  const store = new AnimalStore({ ...VALID, baseUrl: server.baseUrl });
  const calls = [
    () => store.inventory.get({}, { timeoutMs: 0 }),
    () => store.inventory.get({}, { maxRetries: -1 }),
    () => store.pets.get(2 ** 53),
    () => store.pets.get(1.5),
    () => store.pets.get(undefined as never),
    () => store.orders.get('1/approve' as never),
    () => store.pets.create({ name: 'Rex', categoryId: 2 ** 60 }),
    () => store.pets.create({ name: 'Rex', categoryId: 1 }, { idempotencyKey: 'a\nb' }),
    () => store.pets.update(1, {}, { ifMatch: '"a"\r\nX: y' }),
  ];
  for (const call of calls) await expect(call()).rejects.toBeInstanceOf(TypeError);
  expect(server.requests).toEqual([]);
});

const silent = () => new Promise<never>(() => {});
const endless = async () =>
  new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } });
test.each<[string, Partial<AnimalStoreOptions>]>([
  ['a fetch that gives no response', { fetch: silent }],
  ['a fetch that gives a body without an end', { fetch: endless }],
  ['an apiKey that gives none', { apiKey: silent }],
  ['a cache that gives nothing', { cache: { get: silent, set() {} } }],
])('%s and ignores the signal holds no call', async (_name, own) => {
  const { inventory, events } = new AnimalStore({ ...VALID, ...own });
  const nameOf = (call: Promise<unknown>) => call.catch(({ name }) => name);
  const limits = { timeoutMs: 10, maxRetries: 0 };
  expect(await nameOf(inventory.get({}, limits))).toBe('TimeoutError');
  expect(await nameOf(events.stream({}, limits).next())).toBe('TimeoutError');
  const aborted = inventory.get({}, { signal: AbortSignal.timeout(10), timeoutMs: 60_000 });
  expect(await aborted.catch((reason) => reason)).toBeInstanceOf(DOMException);
  const open = events.stream();
  const next = open.next();
  await open.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
});
