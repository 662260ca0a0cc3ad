/** What an error says, to a log and to a form. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AnimalStore, AnimalStoreError, ApiError } from '../../sdk/src/index.ts';
import { faultAt, messageOf } from '../../src/http/contract/faults.ts';
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
    const store = new AnimalStore({ baseUrl: server.baseUrl, apiKey: 'key' });
    const error = await failureOf(store.pets.create({ name: '', categoryId: 1 }));
    expect(String(error)).toBe(
      'ApiError: name: is bad (POST /pets 400 validation_failed, request served-1)',
    );
    expect(error.message).toBe('name: is bad');
    expect({ ...error }).toMatchObject({ method: 'POST', path: '/pets', requestId: 'served-1' });
  });

  test('without the query, which may name a person', async () => {
    await using server = startScriptedServer(() => new Response('', { status: 400 }));
    const store = new AnimalStore({ baseUrl: server.baseUrl, apiKey: 'key' });
    const listed = store.orders.list({ reference: 'Ada' }).toArray();
    const asked = store.request('GET', '/store/orders?reference=Ada');
    for (const call of [listed, asked]) {
      const text = String(await failureOf(call));
      expect(text).toMatch(/\(GET \/store\/orders 400, request [0-9a-f]{32}-1\)$/);
      expect(text).not.toContain('Ada');
    }
  });

  test.each([
    ['TimeoutError', { timeoutMs: 20 }, () => new Promise<Response>(() => {})],
    ['ConnectionError', {}, () => Promise.reject(new Error('refused'))],
  ])('%s: with the id that was sent', async (name, options, respond) => {
    const sent: (string | null)[] = [];
    const store = new AnimalStore({
      baseUrl: 'http://store.example/v1',
      apiKey: 'key',
      maxRetries: 0,
      fetch(_url, init) {
        sent.push(new Headers(init.headers).get('X-Request-Id'));
        const aborted = new Promise<never>((_resolve, reject) =>
          init.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
        );
        return Promise.race([respond(), aborted]);
      },
    });
    const error = await failureOf(store.inventory.get({}, options));
    expect(String(error)).toStartWith(`${name}: `);
    expect(String(error)).toEndWith(`(GET /store/inventory, request ${sent[0]})`);
    expect(error.requestId).toBe(sent[0] as string);
  });

  test('no facts: the message alone', () => {
    expect(String(new AnimalStoreError('Failed.'))).toBe('AnimalStoreError: Failed.');
  });
});

test('an integer that is no safe number is refused if the client has numbers only', async () => {
  const unsafe = '{"id":7,"name":"Max","categoryId":9007199254740993}';
  await using server = startScriptedServer(() => new Response(unsafe));
  const store = new AnimalStore({ baseUrl: server.baseUrl, apiKey: 'key', int64: 'number' });
  expect(await failureOf(store.pets.update(7, {}))).toMatchObject({
    name: 'ApiError',
    status: 200,
    message: "categoryId: 9007199254740993 is not a safe integer. Use int64: 'bigint' or 'string'.",
    // The change was made.
    outcomeUnknown: true,
  });
  expect(server.requests).toHaveLength(1);
});

describe('the fields of an error', () => {
  const errorWith = (message: string, code = 'validation_failed') =>
    new ApiError(message, { status: 400, code, headers: new Headers() });

  test('are the faults that the service writes, whatever the names', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 });
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
      { numRuns: 500 },
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
