import { afterEach, describe, expect, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type Forwarder, startForwarder } from './forwarder.ts';
import { sharedPostgres } from './postgres-server.ts';
import { until } from './process.ts';

describe('a forwarder', () => {
  const open: { close(): unknown }[] = [];
  afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

  /** A server that sends its name to each client, and then echoes what it receives. */
  const echo = async (name: string): Promise<{ port: number; ended: string[] }> => {
    const ended: string[] = [];
    const server = createServer((socket) => {
      socket.write(name);
      socket.on('data', (chunk) => socket.write(chunk));
      socket.on('error', (error: NodeJS.ErrnoException) => ended.push(error.code ?? ''));
    });
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, ended };
  };

  const forwarderTo = async (...args: Parameters<typeof startForwarder>): Promise<Forwarder> => {
    const forwarder = await startForwarder(...args);
    open.push(forwarder);
    return forwarder;
  };

  const dial = ({ port }: { port: number }) => {
    const seen = { text: '', ended: '' };
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      seen.text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      seen.ended = error.code ?? '';
    });
    return { seen, send: (text: string) => socket.write(text), close: () => socket.destroy() };
  };

  test('forwards all bytes in both directions and counts connections', async () => {
    const bytes = { 'to server': 0, 'to client': 0 };
    const forwarder = await forwarderTo(await echo('A'), {
      onBytes: (direction, chunk) => {
        bytes[direction] += chunk.length;
      },
    });
    const client = dial(forwarder);
    client.send('x'.repeat(5_000_000));
    await until(() => client.seen.text.length === 5_000_001);
    expect(bytes).toEqual({ 'to server': 5_000_000, 'to client': 5_000_001 });
    expect(forwarder.connections).toBe(1);
    client.close();
    await until(() => forwarder.connections === 0);
  });

  test('resets connections on both sides, and refuses new ones while asked to', async () => {
    const server = await echo('A');
    const forwarder = await forwarderTo(server);
    const client = dial(forwarder);
    await until(() => client.seen.text === 'A');
    forwarder.cut();
    await until(() => client.seen.ended === 'ECONNRESET' && server.ended[0] === 'ECONNRESET');
    forwarder.refuse(true);
    const refused = dial(forwarder);
    await until(() => refused.seen.ended === 'ECONNRESET');
    forwarder.refuse(false);
    const next = dial(forwarder);
    await until(() => next.seen.text === 'A');
  });

  test('drops everything while it is a black hole, and its connections stay dead', async () => {
    const forwarder = await forwarderTo(await echo('A'));
    const old = dial(forwarder);
    await until(() => old.seen.text === 'A');
    forwarder.blackhole(true);
    old.send('?');
    const during = dial(forwarder);
    during.send('?');
    await until(() => forwarder.connections === 2);
    forwarder.blackhole(false);
    old.send('?');
    const later = dial(forwarder);
    later.send('!');
    await until(() => later.seen.text === 'A!');
    expect(old.seen).toEqual({ text: 'A', ended: '' });
    expect(during.seen).toEqual({ text: '', ended: '' });
    expect(forwarder.connections).toBe(3);
  });

  test('counts a connection until its end, even if the client sends more after the server is gone', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const forwarder = await forwarderTo({ port });
    const client = connect({ port: forwarder.port, host: '127.0.0.1', allowHalfOpen: true });
    client.resume().on('error', () => {});
    await new Promise((resolve) => client.once('end', resolve));
    expect(forwarder.connections).toBe(1);
    client.write('late');
    await sleep(50);
    client.end('later');
    await until(() => forwarder.connections === 0);
  });

  test('counts a connection until its end, even if the server ends without having read all', async () => {
    const accepted: Socket[] = [];
    const busy = createServer({ pauseOnConnect: true }, (socket) => accepted.push(socket));
    open.push(busy);
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const forwarder = await forwarderTo(busy.address() as AddressInfo);
    const client = dial(forwarder);
    client.send('x'.repeat(20_000_000));
    await until(() => accepted.length === 1);
    await sleep(50);
    for (const socket of accepted) socket.destroy();
    client.close();
    await until(() => forwarder.connections === 0);
  });

  test('changes its target', async () => {
    const forwarder = await forwarderTo(await echo('A'));
    const client = dial(forwarder);
    await until(() => client.seen.text === 'A');
    forwarder.retarget((await echo('B')).port);
    await until(() => client.seen.ended === 'ECONNRESET');
    const { seen } = dial(forwarder);
    await until(() => seen.text === 'B');
  });

  test('resets a connection after the server has received a text: the statement is executed', async () => {
    const server = await sharedPostgres();
    const name = await server.createDatabase();
    const direct = postgres(server.url(name), { max: 1 });
    await direct`CREATE TABLE entries (id int)`;
    const forwarder = await forwarderTo(server);
    const client = postgres(server.url(name, { port: forwarder.port }), { max: 1 });
    const cut = forwarder.cutWhen('INSERT INTO entries');
    const writing = client.unsafe('INSERT INTO entries VALUES (1)').then(
      () => 'completed',
      (error) => error.code,
    );
    await cut;
    expect(await writing).toBe('ECONNRESET');
    for (let rows = 0; rows === 0; ) rows = (await direct`SELECT FROM entries`).count;
    await Promise.all([client.end({ timeout: 0 }), direct.end()]);
    await server.dropDatabase(name);
  });
});
