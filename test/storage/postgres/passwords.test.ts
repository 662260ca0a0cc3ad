/** Passwords that change while a database is open. test/process/url-file.test.ts has the service and its settings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { addShop } from '../../support/password-server.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';

let server: PostgresServer;
let database: string;
beforeAll(async () => {
  server = await startPostgres();
  await addShop(server, 'first');
  database = await server.createDatabase();
});
afterAll(() => server.remove());

const urlWith = (password: string) =>
  `postgres://shop:${password}@127.0.0.1:${server.port}/${database}`;

const endSessions = () =>
  server.sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = ${database} AND application_name = 'animal-store'`;

/** Beside other work, the five seconds of the service may pass: each connection computes a hash of thousands of rounds. */
const PATIENT = { timeoutMs: 20_000 };

describe('a new password', () => {
  test('applies also without prepared statements, to the reads and writes that wait for a connection', async () => {
    await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'first'`);
    let password = 'first';
    const observed: string[] = [];
    const opened = await openPostgres(urlWith('first'), {
      ...PATIENT,
      prepared: false,
      rereadUrl: () => {
        if (password === '') throw new Error('The file is empty.');
        return urlWith(password);
      },
      observe: ({ kind }) => observed.push(kind),
    });
    const write = () =>
      opened.write(BY_TEST, ({ pets }) => pets.create({ name: 'Rex', categoryId: 1 }));
    try {
      for (password of ['second', 'third']) {
        await server.sql.unsafe(`ALTER ROLE shop PASSWORD '${password}'`);
        await endSessions();
        const reads = Array.from({ length: 20 }, (_value, id) => opened.read.pets.get(id + 1));
        const writes = Array.from({ length: 5 }, write);
        await Promise.all([...reads, ...writes]);
      }
      password = 'wrong';
      await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'fourth'`);
      await endSessions();
      await expect(Promise.resolve(opened.read.pets.get(1))).rejects.toThrow(
        'The server does not accept the password of the role "shop"',
      );
      password = '';
      const refused = await Promise.allSettled([write(), write()]);
      expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      const renewed = Array(3).fill('database_credentials_renewed');
      expect(observed).toEqual([...renewed, 'database_credentials_rejected']);
    } finally {
      await opened.close();
    }
  });
});

describe('a standby whose URL has no password', () => {
  let standby: Awaited<ReturnType<PostgresServer['startStandby']>>;
  beforeAll(async () => {
    await server.sql`CREATE ROLE guest LOGIN SUPERUSER`;
    standby = await server.startStandby();
  });
  afterAll(() => standby.remove());

  /** The roles of the sessions of a service on the standby. */
  const roles = async (): Promise<string[]> => {
    const sessions = await standby.sql<{ usename: string }[]>`
      SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name = 'animal-store'`;
    return sessions.map(({ usename }) => usename);
  };

  test.each([
    ['takes the one of the primary', 'shop'],
    ['does not take it for another role', 'guest'],
  ])('%s', async (_what, role) => {
    await server.sql.unsafe(`ALTER ROLE shop PASSWORD 'fifth'`);
    const standbyUrls = [`postgres://${role}@127.0.0.1:${standby.port}/${database}`];
    const opened = await openPostgres(urlWith('fifth'), { ...PATIENT, standbyUrls });
    try {
      await standby.catchUp();
      await until(async () => {
        await opened.read.pets.list(EVERY, undefined, 1);
        return (await roles()).length > 0;
      });
      expect(await roles()).toEqual([role]);
    } finally {
      await opened.close();
    }
    await until(async () => (await roles()).length === 0);
  });
});
