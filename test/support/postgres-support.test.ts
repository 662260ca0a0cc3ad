import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { type Forwarder, startForwarder } from './forwarder.ts';
import { type PostgresServer, sharedPostgres, startPostgres } from './postgres-server.ts';
import { CHOSEN_VERSION } from './postgres-versions.ts';
import { inWorkplace, ROOT, until } from './process.ts';

const SAFE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

describe('a PostgreSQL of its own', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: SAFE });
  });
  afterAll(() => server.remove());

  test('is of the version that was asked for', async () => {
    const [row] = await server.sql`SHOW server_version`;
    expect(row?.['server_version']).toStartWith(`${CHOSEN_VERSION}.`);
  });

  test('answers with the settings that were asked for', async () => {
    const [row] = await server.sql`SELECT current_setting('fsync') AS fsync,
      current_setting('jit') AS jit, current_setting('server_encoding') AS encoding`;
    expect(row).toEqual({ fsync: 'on', jit: 'off', encoding: 'UTF8' });
  });

  test('makes databases from a template, and drops them whoever is connected', async () => {
    const template = await server.createDatabase();
    const inTemplate = postgres(server.url(template), { max: 1 });
    await inTemplate`CREATE TABLE pets AS SELECT 'Rex' AS name`;
    await inTemplate.end();
    const name = await server.createDatabase(template);
    const guest = postgres(server.url(name), { max: 1 });
    expect((await guest`SELECT name FROM pets`)[0]).toEqual({ name: 'Rex' });
    await server.dropDatabase(name);
    const left = await server.sql`SELECT FROM pg_database WHERE datname = ${name}`;
    expect(left.count).toBe(0);
    await guest.end({ timeout: 0 });
  });

  test('keeps every row that it confirmed when it is killed under load', async () => {
    await server.sql`CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)`;
    const confirmed: string[] = [];
    const write = async (): Promise<void> => {
      const client = postgres(server.url(), { max: 1 });
      try {
        for (;;) {
          const [row] = await client`INSERT INTO entries DEFAULT VALUES RETURNING id`;
          confirmed.push(row?.['id']);
        }
      } catch {
        await client.end({ timeout: 0 });
      }
    };
    const writers = [write(), write(), write()];
    await until(() => confirmed.length > 100);
    await server.kill();
    await Promise.all(writers);
    await server.restart();
    const rows = await server.sql`SELECT id FROM entries`;
    const kept = new Set(rows.map((row) => row['id']));
    expect(confirmed.filter((id) => !kept.has(id))).toEqual([]);
  });

  test('can be stopped, and restarted while it runs', async () => {
    await server.stop();
    await server.restart();
    await server.restart();
    expect((await server.sql`SELECT 1`).count).toBe(1);
  });
});

describe('a standby', () => {
  test('follows under its name, is read-only, and takes writes when promoted', async () => {
    const primary = await startPostgres();
    const standby = await primary.startStandby({ name: 'second' });
    await primary.sql`CREATE TABLE entries AS SELECT 1 AS id`;
    await standby.catchUp();
    expect((await standby.sql`SELECT id FROM entries`)[0]).toEqual({ id: 1 });
    const [follower] = await primary.sql`SELECT application_name AS name FROM pg_stat_replication`;
    expect(follower).toEqual({ name: 'second' });
    const writing = (async () => await standby.sql`INSERT INTO entries VALUES (2)`)();
    await expect(writing).rejects.toThrow('read-only transaction');
    await primary.kill();
    await standby.promote();
    expect((await standby.sql`INSERT INTO entries VALUES (2)`).count).toBe(1);
    await Promise.all([primary.remove(), standby.remove()]);
  });

  test('holds up commits while it is required and gone', async () => {
    const primary = await startPostgres({ settings: SAFE });
    const standby = await primary.startStandby();
    await primary.sql`CREATE TABLE entries (id int)`;
    await primary.requireSynchronous('standby');
    await primary.sql`INSERT INTO entries VALUES (1)`;
    await standby.kill();
    const done: string[] = [];
    const waiting = primary.sql`INSERT INTO entries VALUES (2)`.then(() => done.push('commit'));
    for (let waiters = 0; waiters === 0; ) {
      waiters = (await primary.sql`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
        .count;
    }
    expect(done).toEqual([]);
    await primary.requireSynchronous(undefined);
    await waiting;
    await Promise.all([primary.remove(), standby.remove(), standby.remove()]);
  });
});

describe('nothing is left behind', () => {
  const RUN = `import { test } from 'bun:test';
    import { sharedPostgres } from ${JSON.stringify(join(ROOT, 'test/support/postgres-server.ts'))};
    test('starts a server', async () => {
      const [row] = await (await sharedPostgres()).sql\`SHOW data_directory\`;
      process.stdout.write('folder=' + row.data_directory + '\\n');
      if (process.env['HANGS']) await new Promise(() => {});
    }, 60_000);`;

  test.each(['at its end', 'SIGINT', 'SIGKILL'] as const)('by a test run that ends: %s', (how) =>
    inWorkplace(async (place) => {
      const child = Bun.spawn([process.execPath, 'test', await place.write('run.test.ts', RUN)], {
        env: { ...process.env, HANGS: how === 'at its end' ? '' : 'yes' },
        stdout: 'pipe',
        stderr: 'ignore',
      });
      let said = '';
      for await (const chunk of child.stdout) {
        said += new TextDecoder().decode(chunk);
        if (said.includes('folder=') && how !== 'at its end') child.kill(how);
      }
      await child.exited;
      const folder = /^folder=(.+)$/m.exec(said)?.[1] ?? '';
      await until(() => !existsSync(dirname(folder)));
      expect(Bun.spawnSync(['pgrep', '-f', folder]).stdout.toString()).toBe('');
    })(),
  );
});

describe('a forwarder', () => {
  const open: { close(): unknown }[] = [];
  afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

  /** A server that says its name to whoever comes, and then says what it hears. */
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
    return { seen, say: (text: string) => socket.write(text), hangUp: () => socket.destroy() };
  };

  test('hands everything on in both directions, and counts', async () => {
    const bytes = { 'to server': 0, 'to client': 0 };
    const forwarder = await forwarderTo(await echo('A'), {
      onBytes: (direction, chunk) => {
        bytes[direction] += chunk.length;
      },
    });
    const client = dial(forwarder);
    client.say('x'.repeat(5_000_000));
    await until(() => client.seen.text.length === 5_000_001);
    expect(bytes).toEqual({ 'to server': 5_000_000, 'to client': 5_000_001 });
    expect(forwarder.connections).toBe(1);
    client.hangUp();
    await until(() => forwarder.connections === 0);
  });

  test('cuts connections towards both sides, and refuses new ones while told to', async () => {
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

  test('swallows everything while it is a black hole, and what it swallowed stays dead', async () => {
    const forwarder = await forwarderTo(await echo('A'));
    const old = dial(forwarder);
    await until(() => old.seen.text === 'A');
    forwarder.blackhole(true);
    old.say('?');
    const during = dial(forwarder);
    during.say('?');
    await until(() => forwarder.connections === 2);
    forwarder.blackhole(false);
    old.say('?');
    const later = dial(forwarder);
    later.say('!');
    await until(() => later.seen.text === 'A!');
    expect(old.seen).toEqual({ text: 'A', ended: '' });
    expect(during.seen).toEqual({ text: '', ended: '' });
    expect(forwarder.connections).toBe(3);
  });

  test('leads elsewhere when told to', async () => {
    const forwarder = await forwarderTo(await echo('A'));
    const client = dial(forwarder);
    await until(() => client.seen.text === 'A');
    forwarder.retarget((await echo('B')).port);
    await until(() => client.seen.ended === 'ECONNRESET');
    const { seen } = dial(forwarder);
    await until(() => seen.text === 'B');
  });

  test('cuts a connection when the server has got a text: what was asked is done', async () => {
    const server = await sharedPostgres();
    const name = await server.createDatabase();
    const direct = postgres(server.url(name), { max: 1 });
    await direct`CREATE TABLE entries (id int)`;
    const forwarder = await forwarderTo(server);
    const client = postgres(server.url(name, { port: forwarder.port }), { max: 1 });
    const cut = forwarder.cutWhen('INSERT INTO entries');
    const writing = client.unsafe('INSERT INTO entries VALUES (1)').then(
      () => 'answered',
      (error) => error.code,
    );
    await cut;
    expect(await writing).toBe('ECONNRESET');
    for (let rows = 0; rows === 0; ) rows = (await direct`SELECT FROM entries`).count;
    await Promise.all([client.end({ timeout: 0 }), direct.end()]);
    await server.dropDatabase(name);
  });
});
