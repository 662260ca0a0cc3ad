/** What an error says, to a log and to a form. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AnimalStore, AnimalStoreError, ApiError, ConnectionError } from '../../sdk/src/index.ts';
import { faultAt, messageOf } from '../../src/http/contract/faults.ts';
import { anyCharacter } from '../support/arbitraries.ts';
import { freePort } from '../support/postgres-home.ts';
import { startService } from '../support/service.ts';
import { useShared } from '../support/use-each.ts';
import { startScriptedServer } from './scripted-server.ts';

const refusal = (status: number, code: string, message: string) => () =>
  Response.json({ code, message, status }, { status, headers: { 'X-Request-Id': 'served-1' } });
const failureOf = (call: PromiseLike<unknown>): Promise<AnimalStoreError> =>
  Promise.resolve(call).then(
    () => new Error('The call succeeded.') as AnimalStoreError,
    (error) => error,
  );

describe('as text, an error names its request', () => {
  test('a response: with status, code and id', async () => {
    await using server = startScriptedServer(refusal(400, 'validation_failed', 'name: is bad'));
    const error = await failureOf(server.connect().pets.create({ name: '', categoryId: 1 }));
    expect(String(error)).toBe(
      'ApiError: name: is bad (POST /pets 400 validation_failed, request served-1)',
    );
    expect(error.message).toBe('name: is bad');
    expect({ ...error }).toMatchObject({ method: 'POST', path: '/pets', requestId: 'served-1' });
  });

  test('a response of another server: with the host, which may be the wrong one', async () => {
    await using server = startScriptedServer(() => new Response('Nothing here', { status: 404 }));
    const { host } = new URL(server.baseUrl);
    const text = String(await failureOf(server.connect().inventory.get()));
    expect(text).toContain(`(GET /store/inventory 404, host ${host}, request `);
  });

  test('without the query, which may name a person', async () => {
    await using server = startScriptedServer(() => new Response('', { status: 400 }));
    const store = server.connect();
    const listed = store.orders.list({ reference: 'Ada' }).toArray();
    const asked = store.request('GET', '/store/orders?reference=Ada');
    for (const call of [listed, asked]) {
      const text = String(await failureOf(call));
      expect(text).toMatch(/\(GET \/store\/orders 400, host [0-9.:]+, request [0-9a-f]{32}-1\)$/);
      expect(text).not.toContain('Ada');
    }
  });

  test('a port on which nobody listens: the platform says why', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const store = new AnimalStore({ baseUrl, apiKey: 'key', maxRetries: 0 });
    const error = await failureOf(store.inventory.get());
    const { host } = new URL(baseUrl);
    expect(error).toMatchObject({ host, requestId: expect.stringMatching(/^[0-9a-f]{32}-1$/) });
    const text = String(error);
    expect(text).toStartWith('ConnectionError: ');
    expect(text).toContain(` (GET /store/inventory, host ${host}, request ${error.requestId}, `);
    expect(text).toMatch(/, cause: .*(refused|connect).*\)$/i);
  });

  test.each([
    [
      'connect http://ada:s3cret@proxy.example:3128 failed',
      'connect http://proxy.example:3128 failed',
    ],
    [
      'error sending request for url (https://store.example/v1/pets?name=s3cret)',
      'error sending request for url (https://store.example/v1/pets',
    ],
    ['invalid header Authorization: Bearer s3cret', 'invalid header Authorization: Bearer '],
  ])('without what the cause says of credentials and queries: %s', (message, shown) => {
    // As in Node.js.
    const cause = new TypeError('fetch failed', { cause: new Error(message) });
    const text = String(new ConnectionError('Failed.', { cause }));
    expect(text).toBe(`ConnectionError: Failed. (cause: ${shown})`);
  });

  test('no facts: the message alone', () => {
    expect(String(new AnimalStoreError('Failed.'))).toBe('AnimalStoreError: Failed.');
    // Node.js fails so if a name has several addresses.
    const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const text = 'ConnectionError: Failed. (cause: ECONNREFUSED)';
    expect(String(new ConnectionError('Failed.', { cause }))).toBe(text);
  });
});

test('an integer that is no safe number is refused if the client has numbers only', async () => {
  const unsafe = '{"id":7,"name":"Max","categoryId":9007199254740993}';
  await using server = startScriptedServer(() => new Response(unsafe));
  const store = server.connect({ int64: 'number' });
  expect(await failureOf(store.pets.update(7, {}))).toMatchObject({
    name: 'ApiError',
    status: 200,
    message: "categoryId: 9007199254740993 is not a safe integer. Use int64: 'bigint' or 'string'.",
    // The change was made.
    outcomeUnknown: true,
  });
  expect(server.requests).toHaveLength(1);
});

describe('a base URL without /v1', () => {
  const service = useShared(() => startService());
  /** @param mapped what a proxy makes of the base URL */
  const messageFrom = async (baseUrl: string, path = '/pets', mapped = baseUrl) => {
    const store = new AnimalStore({
      baseUrl,
      apiKey: service.key,
      fetch: async (url, init) =>
        service.app.fetch(new Request(url.replace(baseUrl, mapped), init)),
    });
    const { message } = await failureOf(store.request('GET', path));
    return message;
  };

  const BASE = 'http://store.example';
  test.each([BASE, `${BASE}/`, `${BASE}/v2`])('is told by the error: %s', async (baseUrl) => {
    const message = 'No operation has this path: operations are below /v1.';
    expect(await messageFrom(baseUrl)).toBe(message);
  });

  test.each([
    ['the path is unknown', `${BASE}/v1`, `${BASE}/v1`],
    ['the path is unknown behind a proxy that adds /v1', `${BASE}/shop`, `${BASE}/v1`],
  ])('is not told if %s', async (_name, baseUrl, mapped) => {
    expect(await messageFrom(baseUrl, '/animals', mapped)).toBe('No operation has this path.');
  });
});

describe('the fields of an error', () => {
  const errorWith = (message: string, code = 'validation_failed') =>
    new ApiError(message, { status: 400, code, headers: new Headers() });

  test('are the faults that the service writes, whatever the names', () => {
    const name = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 });
    const path = fc
      .tuple(name, fc.array(fc.oneof(name, fc.nat(1e6))))
      .map(([first, rest]) => [first, ...rest]);
    const text = fc.stringMatching(/^[^;]+$/).filter((it) => it !== '');
    const faults = fc.array(fc.record({ path, message: text }), { minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(faults, (written) => {
        const message = messageOf(written.map((fault) => faultAt(fault.path, fault.message)));
        expect(errorWith(message).fields).toEqual(written.slice(0, 10));
      }),
      { numRuns: 150 },
    );
  });

  test.each(['validation_failed', 'invalid_parameter', 'read_only_field'])('are of %s', (code) => {
    expect(errorWith('pets[3].name: must not be empty', code).fields).toEqual([
      { path: ['pets', 3, 'name'], message: 'must not be empty' },
    ]);
  });

  test.each([
    ['not_found', 'name: is missing'],
    ['validation_failed', 'The body is invalid.'],
    ['validation_failed', ''],
  ])('are empty otherwise: %s %j', (code, message) => {
    expect(errorWith(message, code).fields).toEqual([]);
  });
});
