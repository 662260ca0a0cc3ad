import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { type PostgresServer, sharedPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';

type Options = postgres.Options<Record<string, postgres.PostgresType>>;

/** What `connections/connection.ts` relies on, so that a changed release of the driver fails here first. */
describe('the driver of PostgreSQL', () => {
  let server: PostgresServer;
  let clients: postgres.Sql[];
  let sockets: Socket[];
  beforeAll(async () => {
    server = await sharedPostgres();
  });
  beforeEach(() => {
    clients = [];
    sockets = [];
  });
  afterEach(() => Promise.all(clients.map((client) => client.end({ timeout: 0 }))));

  const openSocket = (): Socket => {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    // Without a listener, an error would end the test run.
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  };

  /** A client with one connection, on a socket of the test. The type of the driver has no `socket`. */
  function open(options: object = {}, socket: () => Socket | Promise<Socket> = openSocket) {
    const client = postgres({
      host: 'unused.invalid',
      database: 'postgres',
      user: 'postgres',
      pass: () => '',
      ssl: false,
      max: 1,
      fetch_types: false,
      socket,
      ...options,
    } as Options);
    clients.push(client);
    return client;
  }

  const pidOf = async (client: postgres.Sql): Promise<unknown> =>
    (await client`SELECT pg_backend_pid() AS pid`)[0]?.['pid'];

  test('uses the socket that it is given, and no host', async () => {
    const client = open();
    expect(await pidOf(client)).toBeNumber();
    expect(sockets).toHaveLength(1);
    expect(sockets[0]?.remotePort).toBe(server.port);
  });

  test('waits for a socket that is promised', async () => {
    const client = open({}, async () => openSocket());
    expect(await pidOf(client)).toBeNumber();
  });

  test('uses one session for all statements, and sends each before the result of the one before', async () => {
    const client = open();
    await pidOf(client);
    const writes: string[] = [];
    const [socket] = sockets;
    const write = socket?.write.bind(socket);
    let results = 0;
    Object.assign(socket ?? {}, {
      write(chunk: Buffer, ...rest: never[]) {
        if (chunk.includes('pg_sleep')) writes.push(`after ${results} results`);
        return write?.(chunk, ...rest);
      },
    });
    const work = [1, 2, 3].map(async (number) => {
      const rows = await client.unsafe(`SELECT ${number} AS number, pg_sleep(0.01)`);
      results += 1;
      return rows[0]?.['number'];
    });
    expect(await Promise.all(work)).toEqual([1, 2, 3]);
    expect(new Set(writes)).toEqual(new Set(['after 0 results']));
    expect(sockets).toHaveLength(1);
  });

  test('returns the process id that the server sent at the start, the command tag and the count', async () => {
    const rows = await open()`SELECT pg_backend_pid() AS pid`;
    expect(rows.state.pid).toBe(rows[0]?.['pid']);
    expect([rows.command, rows.count]).toEqual(['SELECT', 1]);
  });

  test('calls onclose when its socket is destroyed', async () => {
    let isClosed = false;
    const client = open({
      onclose: () => {
        isClosed = true;
      },
    });
    await pidOf(client);
    sockets[0]?.destroy();
    await until(() => isClosed);
  });

  test('asks for another socket if the first one was closed before use', async () => {
    const client = open({}, () => {
      const socket = openSocket();
      if (sockets.length === 1) socket.once('connect', () => socket.destroy());
      return socket;
    });
    expect(await pidOf(client)).toBeNumber();
    expect(sockets).toHaveLength(2);
  });
});
