/** Whose failed credentials are counted: the address of the connection, or what a trusted proxy says of it. On a real socket. */
import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listen, type SocketService } from '../../support/socket.ts';

let service: SocketService;
afterEach(() => service.close());

/** One failed credential is let pass for each client: whoever gets 429 was counted before. */
const start = async (flags: Record<string, string>) => {
  service = await listen({ rateLimit: '1/600s', ...flags });
};

interface Connection {
  readonly host?: string;
  readonly localAddress?: string;
}

/** Sends a wrong key with these X-Forwarded-For headers, and resolves with the answer's status. */
function fail(
  forwarded: readonly string[],
  { host = '127.0.0.1', localAddress = host }: Connection = {},
): Promise<number> {
  const { port } = new URL(service.origin);
  const head = ['GET /v1/pets HTTP/1.1', 'Host: x', 'Authorization: Bearer wrong'];
  const lines = [...head, ...forwarded.map((value) => `X-Forwarded-For: ${value}`)];
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: Number(port), host, localAddress }, () =>
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(answer.split(' ')[1])));
  });
}

const OTHER = { localAddress: '127.0.0.2' };

describe('without a trusted proxy', () => {
  test('the address of the connection counts', async () => {
    await start({});
    expect(await fail([])).toBe(401);
    expect(await fail([])).toBe(429);
    expect(await fail([], OTHER)).toBe(401);
    expect(await fail([], OTHER)).toBe(429);
  });

  test('what clients say in X-Forwarded-For does not count', async () => {
    await start({});
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.2'])).toBe(429);
    expect(await fail(['127.0.0.1'], OTHER)).toBe(401);
  });

  test.skipIf(networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') !== true)(
    'a service that listens on IPv6 too counts each IPv4 address by itself',
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
  test('the last entry of X-Forwarded-For counts, which is what the proxy added', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.1'])).toBe(429);
    expect(await fail(['192.0.2.2'])).toBe(401);
    expect(await fail(['192.0.2.9, 198.51.100.7,192.0.2.1'])).toBe(429);
    expect(await fail(['192.0.2.1, 192.0.2.3'])).toBe(401);
    expect(await fail([' 192.0.2.8 ,\t192.0.2.3 '])).toBe(429);
  });

  test('wherever the proxy connects from', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.1'], OTHER)).toBe(429);
  });

  test('of several headers the last one counts', async () => {
    await start({ trustProxy: 'on' });
    expect(await fail(['192.0.2.1', '192.0.2.2, 192.0.2.3'])).toBe(401);
    expect(await fail(['192.0.2.3'])).toBe(429);
    expect(await fail(['192.0.2.1'])).toBe(401);
    expect(await fail(['192.0.2.2'])).toBe(401);
    expect(await fail(['', '192.0.2.2'])).toBe(429);
  });

  test.each([
    ['none', []],
    ['an empty one', ['']],
    ['an empty last entry', ['192.0.2.1,']],
    ['an empty last header', ['192.0.2.1', ' ']],
    ['unknown', ['192.0.2.1, unknown']],
    ['a name', ['client.example']],
    ['a Unix socket', ['unix:']],
    ['no address in numbers', ['192.0.2.1, 192.0.2.256']],
    ['a short form of an address', ['127.1']],
    ['an address in octal', ['0300.0.02.01']],
    ['a network', ['2001:db8::/64']],
    ['an open bracket', ['[2001:db8::1']],
    ['a wrong port', ['192.0.2.1:http']],
    ['a very long text', [`192.0.2.1, ${'1:'.repeat(4_000)}`]],
  ])('%s counts as the address of the connection', async (_what, forwarded) => {
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

  test('all addresses of one IPv6 /64 are one client, and those of another are not', async () => {
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
