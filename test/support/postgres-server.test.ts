import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { spawnGuarded } from './guard.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { CHOSEN_VERSION } from './postgres-versions.ts';
import { inWorkplace, ROOT, until } from './process.ts';

const SAFE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

describe('a PostgreSQL server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: SAFE });
  });
  afterAll(() => server.remove());

  test('has the chosen version', async () => {
    const [row] = await server.sql`SHOW server_version`;
    expect(row?.['server_version']).toStartWith(`${CHOSEN_VERSION}.`);
  });

  test('has the requested settings', async () => {
    const [row] = await server.sql`SELECT current_setting('fsync') AS fsync,
      current_setting('jit') AS jit, current_setting('server_encoding') AS encoding`;
    expect(row).toEqual({ fsync: 'on', jit: 'off', encoding: 'UTF8' });
  });

  test('creates databases from a template, and drops them while clients are connected', async () => {
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

  test('loses no acknowledged row when it is killed under load', async () => {
    await server.sql`CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)`;
    const acknowledged: string[] = [];
    const write = async (): Promise<void> => {
      const client = postgres(server.url(), { max: 1 });
      try {
        for (;;) {
          const [row] = await client`INSERT INTO entries DEFAULT VALUES RETURNING id`;
          acknowledged.push(row?.['id']);
        }
      } catch {
        // It may be connecting again.
        await client.end({ timeout: 0 }).catch(() => {});
      }
    };
    const writers = [write(), write(), write()];
    await until(() => acknowledged.length > 100);
    await server.kill();
    await Promise.all(writers);
    await server.restart();
    const rows = await server.sql`SELECT id FROM entries`;
    const stored = new Set(rows.map((row) => row['id']));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  test('stops, and restarts while it runs', async () => {
    await server.stop();
    await server.restart();
    await server.restart();
    expect((await server.sql`SELECT 1`).count).toBe(1);
  });
});

describe('a standby', () => {
  test('replicates under its name, is read-only, and accepts writes after a promotion', async () => {
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

  test('blocks commits while it is synchronous and down', async () => {
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

describe('no server remains', () => {
  const RUN = `import { test } from 'bun:test';
    import { sharedPostgres } from ${JSON.stringify(join(ROOT, 'test/support/postgres-server.ts'))};
    test('starts a server', async () => {
      const [row] = await (await sharedPostgres()).sql\`SHOW data_directory\`;
      process.stdout.write('folder=' + row.data_directory + '\\n');
      if (process.env['HANGS']) await new Promise(() => {});
    });`;

  test.each(['normally', 'SIGKILL'] as const)('after a test run that ends: %s', (how) =>
    inWorkplace(async (workplace) => {
      const child = spawnGuarded(
        [process.execPath, 'test', await workplace.write('run.test.ts', RUN)],
        {
          env: { ...process.env, HANGS: how === 'normally' ? '' : 'yes' },
          stdout: 'pipe',
          stderr: 'ignore',
        },
      );
      let output = '';
      for await (const chunk of child.stdout) {
        output += new TextDecoder().decode(chunk);
        if (output.includes('folder=') && how !== 'normally') child.kill(how);
      }
      await child.exited;
      const folder = /^folder=(.+)$/m.exec(output)?.[1] ?? '';
      await until(() => !existsSync(dirname(folder)));
      expect(Bun.spawnSync(['pgrep', '-f', folder]).stdout.toString()).toBe('');
    })(),
  );
});
