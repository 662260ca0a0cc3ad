/** The client address in the log: that of the connection, or X-Forwarded-For of a trusted proxy. */
import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalAddress } from '../../../src/http/request/client-address.ts';
import { listen, type SocketService } from '../../support/socket.ts';
import { useShared } from '../../support/use-each.ts';

const start = (flags: Record<string, string> = {}) =>
  useShared(() => listen({ logClientAddress: 'on', ...flags }));

interface Connection {
  readonly host?: string;
  readonly localAddress?: string;
}

/** Sends a request with these X-Forwarded-For headers. @returns the address of its client in the log */
async function clientOf(
  service: SocketService,
  forwarded: readonly string[],
  { host = '127.0.0.1', localAddress = host }: Connection = {},
): Promise<string | undefined> {
  const { port } = new URL(service.origin);
  const head = ['GET /livez HTTP/1.1', 'Host: x', 'Connection: close'];
  const lines = [...head, ...forwarded.map((value) => `X-Forwarded-For: ${value}`)];
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ port: Number(port), host, localAddress }, () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n`),
    );
    socket.resume();
    socket.on('error', reject);
    socket.on('close', resolve);
  });
  const last = service.observed.findLast(({ kind }) => kind === 'request');
  return last?.kind === 'request' ? last.clientAddress : undefined;
}

const OTHER = { localAddress: '127.0.0.2' };

describe('without a trusted proxy', () => {
  const service = start();

  test.each([[[]], [['192.0.2.1']], [['127.0.0.1']]])(
    'the address of the connection is the client, whatever X-Forwarded-For is: %j',
    async (forwarded) => {
      expect(await clientOf(service, forwarded)).toBe('127.0.0.1');
      expect(await clientOf(service, forwarded, OTHER)).toBe('127.0.0.2');
    },
  );
});

describe.skipIf(networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') !== true)(
  'on IPv6',
  () => {
    const service = start({ host: '::' });

    test('an IPv4 client has its IPv4 address', async () => {
      expect(await clientOf(service, [])).toBe('127.0.0.1');
      expect(await clientOf(service, [], OTHER)).toBe('127.0.0.2');
      expect(await clientOf(service, [], { host: '::1' })).toBe('::1');
    });
  },
);

describe('with a trusted proxy', () => {
  const service = start({ trustProxy: 'on' });

  test.each([
    ['192.0.2.1', ['192.0.2.1']],
    ['192.0.2.1', ['192.0.2.9, 198.51.100.7,192.0.2.1']],
    ['192.0.2.3', [' 192.0.2.8 ,\t192.0.2.3 ']],
    ['192.0.2.3', ['192.0.2.1', '192.0.2.2, 192.0.2.3']],
    ['192.0.2.2', ['', '192.0.2.2']],
    ['2001:db8::1', ['192.0.2.9, [2001:DB8::1]:4711']],
  ])('%s is the client of %j: the last entry, which the proxy added', async (client, forwarded) => {
    expect(await clientOf(service, forwarded)).toBe(client);
    expect(await clientOf(service, forwarded, OTHER)).toBe(client);
  });

  test.each([
    ['no header', []],
    ['an empty header', ['']],
    ['an empty last entry', ['192.0.2.1,']],
    ['an empty last header', ['192.0.2.1', ' ']],
    ['unknown', ['192.0.2.1, unknown']],
    ['an invalid address', ['192.0.2.1, 192.0.2.256']],
  ])('%s means the address of the connection', async (_what, forwarded) => {
    expect(await clientOf(service, forwarded)).toBe('127.0.0.1');
    expect(await clientOf(service, forwarded, OTHER)).toBe('127.0.0.2');
  });
});

test.each([
  ['192.0.2.1', ['192.0.2.1', '192.0.2.1:80', '::ffff:192.0.2.1', '[::FFFF:C000:0201]:80']],
  ['192.0.2.1', ['0:0:0:0:0:ffff:192.0.2.1', '[::ffff:192.0.2.1]']],
  ['2001:db8::1', ['2001:DB8:0:0:0:0:0:1', '2001:0db8::0001', '[2001:db8::1]', '[2001:db8::1]:80']],
  ['2001:db8::1', ['2001:db8:0:0::0:1', '2001:db8::1%eth0']],
  ['fe80::1', ['fe80::1%eth0', 'FE80:0::1%1', 'FE80::1%25eth0', '[fe80::1%1]:80']],
  ['::1', ['::1', '0:0:0:0:0:0:0:1', '[::1]:1']],
])('%s is the canonical form of %j', (canonical, others) => {
  for (const other of others) expect(canonicalAddress(other)).toBe(canonical);
});

test.each([
  ...['', ' ', '1', '127.1', '0x7f.1', '01.2.3.4', '1.2.3.256', '1.2.3.4:', '::1:x', '[::1', 'x'],
  ...['client.example', 'unix:', '0300.0.02.01', '2001:db8::/64', '[2001:db8::1'],
  ...['192.0.2.1:http', '1:'.repeat(4_000)],
])('%j is not an address', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});
