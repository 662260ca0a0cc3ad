/** Passwords that change while a database is open. test/process/url-file.test.ts has the service and its settings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { startPasswordServer } from '../../support/password-server.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';

let server: PostgresServer;
let database: string;
beforeAll(async () => {
  server = await startPasswordServer('first');
  database = await server.createDatabase();
});
afterAll(() => server.remove());

const urlWith = (password: string) =>
  `postgres://shop:${password}@127.0.0.1:${server.port}/${database}`;

const endSessions = () =>
  server.sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = ${database} AND application_name = 'animal-store'`;

const LIMIT_MS = 30_000;

describe('a new password', () => {
  test(
    'applies also without prepared statements, to the reads and writes that wait for a connection',
    async () => {
      await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'first'`);
      let password = 'first';
      const rereadUrl = () => urlWith(password);
      const opened = await openPostgres(urlWith('first'), { prepared: false, rereadUrl });
      try {
        for (password of ['second', 'third']) {
          await server.sql.unsafe(`ALTER ROLE shop PASSWORD '${password}'`);
          await endSessions();
          const reads = Array.from({ length: 20 }, (_value, id) => opened.read.pets.get(id + 1));
          const writes = Array.from({ length: 5 }, () =>
            opened.write(BY_TEST, ({ pets }) => pets.create({ name: 'Rex', categoryId: 1 })),
          );
          await Promise.all([...reads, ...writes]);
        }
        password = 'wrong';
        await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'fourth'`);
        await endSessions();
        await expect(Promise.resolve(opened.read.pets.get(1))).rejects.toThrow(
          'The server does not accept the password of the role "shop"',
        );
      } finally {
        await opened.close();
      }
    },
    LIMIT_MS,
  );

  /** The roles of the sessions of a service on a standby whose URL has this role and no password. */
  async function rolesOnStandby(role: string): Promise<string[]> {
    const standby = await server.startStandby();
    const standbyUrls = [`postgres://${role}@127.0.0.1:${standby.port}/${database}`];
    const opened = await openPostgres(urlWith('fifth'), { standbyUrls });
    try {
      await standby.catchUp();
      let roles: string[] = [];
      await until(async () => {
        await opened.read.pets.list(EVERY, undefined, 1);
        const sessions = await standby.sql<{ usename: string }[]>`
          SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name = 'animal-store'`;
        roles = sessions.map(({ usename }) => usename);
        return roles.length > 0;
      });
      return roles;
    } finally {
      await opened.close();
      await standby.remove();
    }
  }

  test(
    'of the primary applies to a standby whose URL has none',
    async () => {
      await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'fifth'`);
      expect(await rolesOnStandby('shop')).toEqual(['shop']);
    },
    LIMIT_MS,
  );

  test(
    'of the primary does not apply to a standby whose URL has another role',
    async () => {
      await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'fifth'`);
      await server.sql`CREATE ROLE guest LOGIN SUPERUSER`;
      expect(await rolesOnStandby('guest')).toEqual(['guest']);
    },
    LIMIT_MS,
  );
});
