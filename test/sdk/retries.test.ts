/** When and how often a request is sent again. The clock and the randomness are set, the sockets are real. */
import { describe, expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { ApiKeys } from '../../sdk/src/resources/api-keys.ts';
import { Inventory } from '../../sdk/src/resources/inventory.ts';
import { Pets } from '../../sdk/src/resources/pets.ts';
import { readRetryAfterMs } from '../../sdk/src/retries.ts';
import {
  busy,
  COUNTS,
  counts,
  error,
  startScriptedCore,
  startScriptedServer,
} from './scripted-server.ts';

function clientOf(...script: Parameters<typeof startScriptedCore>) {
  const { core, ...server } = startScriptedCore(...script);
  const [inventory, pets, apiKeys] = [new Inventory(core), new Pets(core), new ApiKeys(core)];
  return { ...server, inventory, pets, apiKeys };
}

describe('delays', () => {
  test('double up to eight seconds', async () => {
    await using store = clientOf([error(503)], { maxRetries: 6 });
    await expect(store.inventory.get()).rejects.toThrow('The response has the status 503.');
    expect(store.delays).toEqual([375, 750, 1500, 3000, 6000, 6000]);
    expect(store.requests).toHaveLength(7);
  });

  test.each([
    [0, 250],
    [0.999999, 500],
  ])('depend on chance: %d', async (random, expected) => {
    await using store = clientOf([error(502), counts], {}, random);
    expect(await store.inventory.get()).toEqual(COUNTS);
    expect(store.delays.map(Math.round)).toEqual([expected]);
  });

  test.each([
    ['60', {}, 60_125],
    ['0', {}, 125],
    ['Fri, 01 Jan 2027 00:00:09 GMT', { Date: 'Fri, 01 Jan 2027 00:00:04 GMT' }, 5_125],
    ['Fri, 01 Jan 2027 00:00:01 GMT', { Date: 'Fri, 01 Jan 2027 00:00:04 GMT' }, 125],
    ['soon', {}, 375],
    ['-1', {}, 375],
    ['1.5', {}, 375],
  ])('are Retry-After and a random part: %s', async (value, headers, expected) => {
    await using store = clientOf([
      error(429, 'rate_limited', { ...headers, 'Retry-After': value }),
      counts,
    ]);
    await store.inventory.get();
    expect(store.delays).toEqual([expected]);
  });

  test('are counted from now if the response does not say its time, as in a browser', () => {
    const headers = new Headers({ 'Retry-After': 'Fri, 01 Jan 2027 00:00:09 GMT' });
    expect(readRetryAfterMs(headers, Date.parse('2027-01-01T00:00:00Z'))).toBe(9_000);
  });

  test('are never shorter than Retry-After, and differ more with each retry', async () => {
    const rateLimited = error(429, 'rate_limited', { 'Retry-After': '2' });
    const delaysWith = async (random: number) => {
      await using store = clientOf([rateLimited], {}, random);
      await store.inventory.get().catch(() => {});
      return store.delays.map(Math.round);
    };
    expect(await delaysWith(0)).toEqual([2_000, 2_000, 2_000]);
    expect(await delaysWith(0.999999)).toEqual([2_250, 2_500, 3_000]);
  });

  test('longer than a minute are left to the caller', async () => {
    await using store = clientOf([error(429, 'rate_limited', { 'Retry-After': '61' })]);
    const failure = await store.inventory.get().catch((caught) => caught);
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfterMs: 61_000 });
    expect(store.delays).toEqual([]);
  });

  test('leave nothing on the signal of the caller, which may be that of many calls', async () => {
    await using server = startScriptedServer(busy(0), counts);
    const { signal } = new AbortController();
    await server.connect().inventory.get({}, { signal });
    expect(server.requests).toHaveLength(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a response', () => {
  test.each([400, 401, 403, 404, 408, 409, 412, 422, 428, 500, 501, 507, 301])(
    'with the status %d is final',
    async (status) => {
      await using store = clientOf([error(status, 'internal_error', { Location: '/' })]);
      await expect(store.inventory.get()).rejects.toMatchObject({ name: 'ApiError', status });
      expect(store.requests).toHaveLength(1);
    },
  );

  test('that says that the first request is in progress is followed by a retry', async () => {
    const key = () => Response.json({ id: 9, key: 'secret' }, { status: 201 });
    await using store = clientOf([error(409, 'idempotency_in_progress'), key]);
    expect(await store.apiKeys.create({ name: 'shop' })).toMatchObject({ id: 9 });
    expect(store.delays).toHaveLength(1);
    await using busy = clientOf([error(409, 'idempotency_in_progress')]);
    const failing = busy.apiKeys.create({ name: 'shop' });
    // The first request, such as one before a restart of the program, may still succeed.
    await expect(failing).rejects.toMatchObject({ status: 409, outcomeUnknown: true });
  });

  test.each([
    [503, 'webhooks_unavailable'],
    [507, 'storage_full'],
  ])('that only the operator can mend is final, and nothing was done: %p', async (status, code) => {
    await using store = clientOf([error(status, code)]);
    const creation = store.apiKeys.create({ name: 'shop' });
    await expect(creation).rejects.toMatchObject({ status, outcomeUnknown: false });
    expect(store.requests).toHaveLength(1);
  });

  test('that says that the address does not exist is no success of a removal', async () => {
    await using store = clientOf([error(503, 'unavailable'), error(404, 'route_not_found')]);
    const outcome = await store.pets.delete(1).catch((caught) => caught);
    expect(outcome).toMatchObject({ code: 'route_not_found', outcomeUnknown: true });
  });

  test('that is no JSON is an error without a code', async () => {
    await using store = clientOf([() => new Response('<html>Welcome</html>')]);
    await expect(store.inventory.get()).rejects.toMatchObject({
      status: 200,
      message: 'The response is not JSON. Its Content-Type is text/plain;charset=utf-8.',
    });
    const failure = await store.pets
      .create({ name: 'Rex', categoryId: 1 })
      .catch((caught) => caught);
    expect(failure).toMatchObject({ code: undefined, outcomeUnknown: true });
  });

  test.each([
    ['object', () => Response.json({ items: [] }), 'application/json;charset=utf-8'],
    ['undefined', () => new Response(null, { status: 204 }), null],
  ])('that is no list says what came instead: %s', async (came, respond, type) => {
    await using store = clientOf([respond]);
    const message = `The response is no list, but of type ${came}. Its Content-Type is ${type}.`;
    for (const call of [() => store.pets.list().toArray(), () => store.pets.get(1)])
      await expect(call()).rejects.toMatchObject({ name: 'ApiError', message });
    const load = store.pets.bulkCreate([{ name: 'Rex', categoryId: 1 }]);
    await expect(load).rejects.toMatchObject({ message, outcomeUnknown: true });
  });

  test.each(['null', '[]', '7', '{"code":7,"message":[]}'])(
    'that is no Error body: %s',
    async (body) => {
      await using store = clientOf([() => new Response(body, { status: 400 })]);
      const message = 'The response has the status 400.';
      const failing = store.inventory.get();
      await expect(failing).rejects.toMatchObject({ status: 400, code: undefined, message });
    },
  );

  test('with an unknown code is an error with that code', async () => {
    await using store = clientOf([error(418, 'teapot', { 'X-Request-Id': 'a-1' })]);
    const failure = store.inventory.get();
    await expect(failure).rejects.toMatchObject({ code: 'teapot', requestId: 'a-1', status: 418 });
  });
});

describe('the API key', () => {
  test('is asked for once per request, so that all attempts have one key', async () => {
    let asked = 0;
    await using store = clientOf([error(503), counts], { apiKey: async () => `key-${++asked}` });
    await store.inventory.get();
    await store.inventory.get();
    expect(store.sent('authorization')).toEqual(['Bearer key-1', 'Bearer key-1', 'Bearer key-2']);
  });

  test('is not sent if it is invalid, and does not appear in the message', async () => {
    await using store = clientOf([counts], { apiKey: () => 'two\nlines' });
    const failure = await store.inventory.get().catch((caught) => caught);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure.message).not.toContain('two');
    expect(store.requests).toEqual([]);
  });
});

describe('whether the service has extensions', () => {
  const REX = { name: 'Rex', categoryId: 1 };
  const created = () => Response.json({ id: 1, ...REX }, { status: 201 });

  test.each([
    ['a list', () => Response.json([]), 3],
    ['403 scope_missing', error(403, 'scope_missing'), 3],
    ['404 route_not_found', error(404, 'route_not_found'), 2],
    ['404 of a proxy', error(404), 2],
    ['a page of a proxy', () => new Response('<html>'), 2],
    ['401', error(401, 'credential_invalid'), 2],
  ])('is asked before an unclear creation is repeated: %s', async (_name, asked, requests) => {
    await using store = clientOf([error(503, 'unavailable'), asked, created]);
    const creation = store.pets.create(REX);
    expect(await creation.catch((caught) => caught)).toMatchObject(
      requests === 3 ? { id: 1 } : { status: 503, outcomeUnknown: true },
    );
    expect(store.requests).toHaveLength(requests);
  });

  test('is asked once, whoever chose the key', async () => {
    const list = () => Response.json([]);
    await using store = clientOf([error(503), list, created, error(503), created]);
    await store.pets.create(REX, { idempotencyKey: 'rex-1' });
    await store.pets.create(REX);
    expect(store.requests).toHaveLength(5);
  });

  test.each([
    [true, 2],
    [false, 1],
  ])('is not asked if it is an option: %p', async (extensions, requests) => {
    await using store = clientOf([error(503), created], { extensions });
    await store.pets.create(REX).catch(() => {});
    expect(store.requests).toHaveLength(requests);
    expect(store.delays).toHaveLength(requests - 1);
  });

  test('is asked no longer when the creation is aborted', async () => {
    const controller = new AbortController();
    const asked = () => {
      controller.abort(new Error('The user has left.'));
      return Response.json([]);
    };
    await using store = clientOf([error(503), asked, created]);
    const creation = store.pets.create(REX, { signal: controller.signal });
    await expect(creation).rejects.toThrow('The user has left.');
    expect(store.requests).toHaveLength(2);
  });

  test('does not matter if the service did nothing', async () => {
    await using store = clientOf([error(429, 'rate_limited'), created], { extensions: false });
    await store.pets.create(REX);
    expect(store.requests).toHaveLength(2);
  });
});
