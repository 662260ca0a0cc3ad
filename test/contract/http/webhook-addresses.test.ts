/** No webhook reaches an address that is not of the public internet, however it is written or resolved. */
import { afterAll, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { networks } from '../../../src/config/setting.ts';
import { isAllowedAddress, parseNetwork } from '../../../src/http/request/networks.ts';
import type { SenderDeps } from '../../../src/webhooks/webhook-sender.ts';
import { testSender } from '../../support/webhook-receiver.ts';

/** The addresses that got connections. */
const reached: (string | undefined)[] = [];
const server = createServer((socket) => {
  reached.push(socket.localAddress);
  socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
});
await new Promise<void>((resolve) => server.listen(0, '::', resolve));
const { port } = server.address() as { port: number };
afterAll(() => server.close());

let ms = 0;
/** Each attempt takes 1.5 ms. */
const clock = { now: () => 0, monotonicMs: () => (ms += 1.5) };
const send = (host: string, deps: Partial<SenderDeps>) =>
  testSender({ clock, allowedNetworks: [], ...deps }).ping(`http://${host}:${port}/`, []);

/** As hosts of a URL. */
const LITERALS = [
  ...['127.0.0.1', '127.1', '127.255.255.254', '2130706433', '0177.0.0.1', '0x7f.0.0.1'],
  ...['0x7f000001', '017700000001', '0', '0.0.0.0', '127.0.0.1.', '①②⑦.⓪.⓪.①'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...['[0:0:0:0:0:ffff:a9fe:a9fe]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]'],
  ...['[2001:0:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]'],
  ...['[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[::ffff:0:127.0.0.1]'],
];

/** As answers of a resolver. */
const RESOLVED: readonly (readonly string[])[] = [
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ...['169.254.169.254', '169.254.0.1', '100.64.0.1', '100.127.255.255', '192.0.0.1'],
  ...['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255'],
  ...['240.0.0.1', '255.255.255.255', '0.1.2.3', '127.0.0.1', '::1', '::ffff:10.0.0.1'],
  ...['::ffff:169.254.169.254', '64:ff9b::a00:1', '2002:a00:1::', 'fe80::1%lo', 'no address'],
].map((address) => [address]);
const MIXED = [
  ['93.184.216.34', '127.0.0.1'],
  ['2606:2800:220:1::1', '::1'],
];

test('of 60 hostile addresses, none gets a connection', async () => {
  const results: unknown[] = [];
  for (const host of LITERALS) {
    const { error } = await send(host, { resolve: async () => ['127.0.0.1'] });
    results.push([host, error]);
  }
  for (const addresses of [...RESOLVED, ...MIXED]) {
    const { error } = await send('shop.test', { resolve: async () => addresses });
    results.push([addresses, error]);
  }
  expect(results.length).toBeGreaterThanOrEqual(60);
  expect(results).toEqual(
    [...LITERALS, ...RESOLVED, ...MIXED].map((address) => [address, 'address_refused']),
  );
  expect(reached).toEqual([]);
});

test('an address of the public internet, or of an allowed network, is allowed', () => {
  const allowed = networks.parse('10.0.0.0/8, fd00::/8') ?? [];
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', '10.1.2.3', 'fd00::7'])
    expect([address, isAllowedAddress(address, allowed)]).toEqual([address, true]);
});

test('an endpoint from a time when http was allowed gets nothing over http', async () => {
  const network = parseNetwork('127.0.0.1/32');
  const allowedNetworks = network ? [network] : [];
  const attempt = await send('127.0.0.1', { allowedNetworks, allowHttp: false });
  expect([attempt.error, reached]).toEqual(['address_refused', []]);
});

test('a name is resolved once, and only its allowed address gets the connection', async () => {
  const network = parseNetwork('127.0.0.2/32');
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  let count = 0;
  const resolve = async () => answers[count++] ?? [];
  const allowedNetworks = network ? [network] : [];
  const attempt = await send('shop.test', { resolve, allowedNetworks });
  expect([attempt, count]).toEqual([{ responseStatus: 204, durationMs: 2 }, 1]);
  expect((await send('shop.test', { resolve: async () => [] })).error).toBe('name_not_found');
  expect((await send('shop.test', { resolve: () => Promise.reject() })).error).toBe(
    'name_not_found',
  );
  expect(reached).toEqual(['::ffff:127.0.0.2']);
});

test('the addresses of IPv4 are tried first, and a resolver does not take longer than an attempt', async () => {
  reached.length = 0;
  const networks = ['127.0.0.0/8', '::1/128'].map(parseNetwork);
  const allowedNetworks = networks.filter((network) => network !== undefined);
  for (const addresses of [['::1', '127.0.0.1'], ['::1']])
    await send('shop.test', { resolve: async () => addresses, allowedNetworks });
  expect(reached).toEqual(['::ffff:127.0.0.1', '::1']);
  const sender = testSender({ clock, resolve: () => new Promise(() => {}) });
  const url = 'http://shop.test/'.padEnd(2_048, 'x');
  const message = { url, id: '', body: '', secrets: [] };
  const { error } = await sender.send(message, AbortSignal.timeout(1));
  expect([error, sender.problemOf(url)]).toEqual(['timed_out', undefined]);
});
