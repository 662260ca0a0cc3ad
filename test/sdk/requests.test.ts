/** What the SDK sends besides the operation: ids, preferences, names, headers of the caller; and requests without a method. */
import { describe, expect, test } from 'bun:test';
import metadata from '../../sdk/package.json' with { type: 'json' };
import { AnimalStore, VERSION } from '../../sdk/src/index.ts';
import { busy, counts, startScriptedServer } from './scripted-server.ts';

test('each attempt has a request id, which shows the call and the number', async () => {
  await using server = startScriptedServer(busy(0), busy(0), counts);
  await server.connect().inventory.get();
  const ids = server.sent('x-request-id');
  const call = ids[0]?.split('-')[0];
  expect(call).toMatch(/^[0-9a-f]{32}$/);
  expect(ids).toEqual([1, 2, 3].map((number) => `${call}-${number}`));
});

test('the version is that of the package', () => {
  expect(VERSION).toBe(metadata.version);
});

test.each([
  [undefined, `animal-store-client/${VERSION}`],
  ['shop/2.1', `shop/2.1 animal-store-client/${VERSION}`],
])('the User-Agent of %p is %p', async (userAgent, expected) => {
  await using server = startScriptedServer(counts);
  await server.connect({ userAgent }).inventory.get();
  expect(server.requests[0]?.headers.get('user-agent')).toBe(expected);
});

test.each([
  [undefined, 'handling=strict'],
  [true, 'handling=strict'],
  [false, null],
])('strict: %p prefers %p', async (strict, expected) => {
  await using server = startScriptedServer(counts);
  await server.connect({ strict }).inventory.get();
  expect(server.requests[0]?.headers.get('prefer')).toBe(expected);
});

test('the headers of a call are added, in place of those of the client', async () => {
  await using server = startScriptedServer(busy(0), counts);
  const own = { Authorization: 'Basic a2V5', 'X-Request-Id': 'checkout-1' };
  const headers = { 'X-Shop': 'yes', prefer: 'handling=lenient', ...own };
  await server.connect().inventory.get({}, { headers });
  for (const { headers: sent } of server.requests) {
    expect(sent.get('x-shop')).toBe('yes');
    expect(sent.get('prefer')).toBe('handling=lenient');
    expect(sent.get('x-request-id')).toBe('checkout-1');
    expect(sent.get('authorization')).toBe('Basic a2V5');
  }
  expect(server.requests).toHaveLength(2);
});

test('what has no version is not edited', async () => {
  await using server = startScriptedServer(() => Response.json([{ id: 1 }]));
  const edit = server.connect().pets.edit(1, () => ({ name: 'Max' }));
  await expect(edit).rejects.toMatchObject({ name: 'UnsupportedError' });
  expect(server.requests).toHaveLength(1);
});

describe('a request without a method', () => {
  test('has exact integers, retries, and an idempotency key', async () => {
    const body = '{"id":9007199254740993}';
    await using server = startScriptedServer(busy(0), () => new Response(body, { status: 201 }));
    const store = server.connect({ int64: 'bigint' });
    const query = { id: [1, 2n ** 62n], name: undefined };
    const call = store.request<{ id: bigint }>('POST', '/feeds', { query, body: { petId: 1n } });
    expect(await call).toEqual({ id: 9007199254740993n });
    expect((await call.withResponse()).response.status).toBe(201);
    expect(server.requests.map(({ url }) => url)).toEqual(
      Array(2).fill(`${server.baseUrl}/feeds?id=1&id=4611686018427387904`),
    );
    const keys = server.sent('idempotency-key');
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  test('takes the options of all methods, and a query and headers of the platform', async () => {
    await using server = startScriptedServer(counts);
    const options = { ifMatch: '"a"', headers: new Headers({ 'X-Shop': 'yes' }) };
    const query = new URLSearchParams('id=1&id=2');
    await server.connect().request('PATCH', '/feeds/1?a=b', { ...options, query, body: {} });
    const [{ headers, url } = { headers: new Headers(), url: '' }] = server.requests;
    expect(url).toBe(`${server.baseUrl}/feeds/1?a=b&id=1&id=2`);
    expect(headers.get('if-match')).toBe('"a"');
    expect(headers.get('x-shop')).toBe('yes');
    expect(headers.get('content-type')).toBe('application/merge-patch+json');
  });

  test('never goes to another host', async () => {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return counts();
    };
    const store = new AnimalStore({ baseUrl: 'https://store.example', apiKey: 'key', fetch });
    for (const path of ['pets', '@evil.example/pets', '.evil.example', '//evil.example'])
      await store.request('GET', path);
    expect(urls.map((url) => new URL(url).host)).toEqual(Array(4).fill('store.example'));
  });

  // Without the array, all would be selected.
  test.each([
    [{ query: { id: [] } }, 'query: an empty array selects nothing.'],
    [{ body: {} }, 'body: GET has none.'],
  ])('that reads with %j is not sent', async (options, message) => {
    await using server = startScriptedServer(counts);
    const call = server.connect().request('GET', '/pets', options);
    await expect(call).rejects.toThrow(new TypeError(message));
    expect(server.requests).toEqual([]);
  });
});
