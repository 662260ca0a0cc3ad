/** Failed credentials are counted per client address: that of the connection, or X-Forwarded-For of a trusted proxy. */
import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listen, type SocketService } from '../../support/socket.ts';

let service: SocketService;
afterEach(() => service.close());

/** The limit is one failed credential per client: 429 means that the client was counted before. */
const start = async (flags: Record<string, string>) => {
  service = await listen({ rateLimit: '1/600s', ...flags });
};

interface Connection {
  readonly host?: string;
  readonly localAddress?: string;
}

/** Sends a wrong key with these X-Forwarded-For headers. @returns the status of the response */
function fail(
  forwarded: readonly string[],
  { host = '127.0.0.1', localAddress = host }: Connection = {},
): Promise<number> {
  const { port } = new URL(service.origin);
  const head = ['GET /v1/pets HTTP/1.1', 'Host: x', 'Authorization: Bearer wrong'];
  const lines = [...head, ...forwarded.map((value) => `X-Forwarded-For: ${value}`)];
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ port: Number(port), host, localAddress }, () =>
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(response.split(' ')[1])));
  });
}

const OTHER = { localAddress: '127.0.0.2' };

describe('without a trusted proxy', () => {
  test('the address of the connection is the client', async () => {
    await start({});
    expect(await fail([])).toBe(401);
    expect(await fail([])).toBe(429);
    expect(await fail([], OTHER)).toBe(401);
    expect(await fail([], OTHER)).toBe(429);
  });

  test('X-Forwarded-For is ignored', async () => {
    await start({});
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.2'])).toBe(429);
    expect(await fail(['127.0.0.1'], OTHER)).toBe(401);
  });

  test.skipIf(networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') !== true)(
    'each IPv4 address is a client, also if the service listens on IPv6',
    async () => {
      await start({ host: '::' });
      expect(await fail([])).toBe(401);
      expect(await fail([], OTHER)).toBe(401);
      expect(await fail([], OTHER)).toBe(429);
      expect(await fail([], { host: '::1' })).toBe(401);
      expect(await fail([], { host: '::1' })).toBe(429);
    },
  );
});

describe('with a trusted proxy', () => {
  test('the last entry of X-Forwarded-For, which the proxy added, is the client', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.1'])).toBe(429);
    expect(await fail(['192.0.2.2'])).toBe(401);
    expect(await fail(['192.0.2.9, 198.51.100.7,192.0.2.1'])).toBe(429);
    expect(await fail(['192.0.2.1, 192.0.2.3'])).toBe(401);
    expect(await fail([' 192.0.2.8 ,\t192.0.2.3 '])).toBe(429);
  });

  test('the address of the proxy is ignored', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.1'], OTHER)).toBe(429);
  });

  test('the last of several headers has the client', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1', '192.0.2.2, 192.0.2.3'])).toBe(401);
    expect(await fail(['192.0.2.3'])).toBe(429);
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.2'])).toBe(401);
    expect(await fail(['', '192.0.2.2'])).toBe(429);
  });

  test.each([
    ['no header', []],
    ['an empty header', ['']],
    ['an empty last entry', ['192.0.2.1,']],
    ['an empty last header', ['192.0.2.1', ' ']],
    ['unknown', ['192.0.2.1, unknown']],
    ['a name', ['client.example']],
    ['a Unix socket', ['unix:']],
    ['an invalid address', ['192.0.2.1, 192.0.2.256']],
    ['a short form of an address', ['127.1']],
    ['an address in octal', ['0300.0.02.01']],
    ['a network', ['2001:db8::/64']],
    ['an open bracket', ['[2001:db8::1']],
    ['a wrong port', ['192.0.2.1:http']],
    ['a very long text', [`192.0.2.1, ${'1:'.repeat(4_000)}`]],
  ])('%s means the address of the connection', async (_what, forwarded) => {
    await start({ trustProxy: 'on' });
    expect(await fail(forwarded)).toBe(401);
    expect(await fail(['127.0.0.1'])).toBe(429);
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(forwarded, OTHER)).toBe(401);
  });

  test.each([
    ['192.0.2.1', ['192.0.2.1:4711', '::ffff:192.0.2.1', '::FFFF:c000:201', '[::ffff:192.0.2.1]']],
    ['192.0.2.1', ['0:0:0:0:0:ffff:192.0.2.1', '[::ffff:192.0.2.1]:4711']],
    ['2001:db8::1', ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1', '2001:db8:0:0::0:1']],
    ['2001:db8::1', ['[2001:db8::1]', '[2001:db8::1]:4711', '2001:db8::1%eth0']],
    ['fe80::1', ['fe80::1%eth0', 'FE80:0::1%1', '[fe80::1%eth0]:80']],
  ])('%s is the same client as %j', async (address, spellings) => {
    await start({ trustProxy: 'on' });
    expect(await fail([address])).toBe(401);
    for (const spelling of spellings) expect(await fail([spelling])).toBe(429);
  });

  test('each IPv6 /64 is one client', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['2001:db8:1:2::1'])).toBe(401);
    for (const end of [':2', 'ffff:ffff:ffff:ffff', '1::1'])
      expect(await fail([`2001:db8:1:2:${end}`])).toBe(429);
    expect(await fail(['2001:db8:1:3::1'])).toBe(401);
    expect(await fail(['2001:db8:1:1:ffff:ffff:ffff:ffff'])).toBe(401);
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.2'])).toBe(401);
  });
});
