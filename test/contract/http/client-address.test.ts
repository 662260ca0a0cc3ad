/** The client address in the log: that of the connection, or X-Forwarded-For of a trusted proxy. */
import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listen, type SocketService } from '../../support/socket.ts';

let service: SocketService;
afterEach(() => service.close());

const start = async (flags: Record<string, string>) => {
  service = await listen({ logClientAddress: 'on', ...flags });
};

interface Connection {
  readonly host?: string;
  readonly localAddress?: string;
}

/** Sends a request with these X-Forwarded-For headers. @returns the address of its client in the log */
async function clientOf(
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
  test('the address of the connection is the client', async () => {
    await start({});
    expect(await clientOf([])).toBe('127.0.0.1');
    expect(await clientOf([], OTHER)).toBe('127.0.0.2');
  });

  test('X-Forwarded-For is ignored', async () => {
    await start({});
    expect(await clientOf(['192.0.2.1'])).toBe('127.0.0.1');
    expect(await clientOf(['127.0.0.1'], OTHER)).toBe('127.0.0.2');
  });

  test.skipIf(networkInterfaces()['lo']?.some(({ family }) => family === 'IPv6') !== true)(
    'an IPv4 client has its IPv4 address even if the service listens on IPv6',
    async () => {
      await start({ host: '::' });
      expect(await clientOf([])).toBe('127.0.0.1');
      expect(await clientOf([], OTHER)).toBe('127.0.0.2');
      expect(await clientOf([], { host: '::1' })).toBe('::1');
    },
  );
});

describe('with a trusted proxy', () => {
  test.each([
    ['192.0.2.1', ['192.0.2.1']],
    ['192.0.2.1', ['192.0.2.9, 198.51.100.7,192.0.2.1']],
    ['192.0.2.3', [' 192.0.2.8 ,\t192.0.2.3 ']],
    ['192.0.2.3', ['192.0.2.1', '192.0.2.2, 192.0.2.3']],
    ['192.0.2.2', ['', '192.0.2.2']],
    ['2001:db8::1', ['192.0.2.9, [2001:DB8::1]:4711']],
  ])('%s is the client of %j: the last entry, which the proxy added', async (client, forwarded) => {
    await start({ trustProxy: 'on' });
    expect(await clientOf(forwarded)).toBe(client);
    expect(await clientOf(forwarded, OTHER)).toBe(client);
  });

  test.each([
    ['no header', []],
    ['an empty header', ['']],
    ['an empty last entry', ['192.0.2.1,']],
    ['an empty last header', ['192.0.2.1', ' ']],
    ['unknown', ['192.0.2.1, unknown']],
    ['an invalid address', ['192.0.2.1, 192.0.2.256']],
  ])('%s means the address of the connection', async (_what, forwarded) => {
    await start({ trustProxy: 'on' });
    expect(await clientOf(forwarded)).toBe('127.0.0.1');
    expect(await clientOf(forwarded, OTHER)).toBe('127.0.0.2');
  });
});
