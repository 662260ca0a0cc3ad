import { afterEach } from 'bun:test';
import { randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { type Database, StorageError } from '../../../src/storage/database.ts';
import { openPostgres, type PostgresOptions } from '../../../src/storage/postgres/open.ts';
import type { Engine } from '../../support/engines.ts';
import { type Forwarder, startForwarder } from '../../support/forwarder.ts';
import { withIdempotentClose } from '../../support/idempotent-close.ts';
import { type PostgresServer, sharedPostgres } from '../../support/postgres-server.ts';
import { EMPTYING, migratedTemplate } from '../../support/postgres-storage.ts';
import { useShared } from '../../support/use-each.ts';

/** A session in pg_stat_activity. */
interface Backend {
  readonly state: string;
  readonly query: string;
}

interface Through {
  readonly forwarder: Forwarder;
  readonly url: string;
  readonly database: Database;
}

/** A database for one test, with a connection of a superuser. */
export interface Scratch extends AsyncDisposable {
  readonly server: PostgresServer;
  readonly name: string;
  readonly url: string;
  readonly sql: Sql;
  roleUrl(name: string): string;
  /** Creates a role with no rights but to connect. */
  createRole(): Promise<string>;
  /** Opens it with the engine. `remove` closes what the test has not closed. */
  open(options?: PostgresOptions, url?: string): Promise<Database>;
  /** The same through a forwarder, which is closed after it. */
  openThrough(options?: PostgresOptions): Promise<Through>;
  /** Opens it with the engine for all tests: `empty` leaves it open. */
  openShared(): Promise<Database>;
  /** Runs statements in a transaction, which stays open until the returned function is called. */
  hold(statements: string): Promise<(end?: 'COMMIT' | 'ROLLBACK') => Promise<void>>;
  /** The current sessions of the engine, or only those that wait for an event of a type. */
  backends(waitingFor?: 'Lock' | 'Timeout'): Promise<Backend[]>;
  /** Closes what the test has not closed, and removes all rows and settings. */
  empty(): Promise<void>;
  /** Terminates the sessions of the engine. */
  endBackends(): Promise<void>;
  remove(): Promise<void>;
}

/** Its database has no tables yet. */
export async function openScratch(server?: PostgresServer): Promise<Scratch> {
  const home = server ?? (await sharedPostgres());
  return openOn(home, await home.createDatabase());
}

/** Its database has the tables of the newest schema, so that the first `open` takes a tenth of the time. */
export async function openMigratedScratch(server?: PostgresServer): Promise<Scratch> {
  const home = server ?? (await sharedPostgres());
  return openOn(home, await home.createDatabase(await migratedTemplate(home)));
}

/**
 * One database for all tests of a file, empty for each: that takes a third of the time of a new one. A test that changes more than rows
 * and settings changes it back, or opens another database.
 */
export function useScratch(open: () => Promise<Scratch> = openMigratedScratch): Scratch {
  const scratch = useShared(open);
  afterEach(() => scratch.empty());
  return scratch;
}

/** Its database is a copy of another one, to which nothing is connected. */
export async function openCopy({ server, name }: Scratch): Promise<Scratch> {
  return openOn(server, await server.createDatabase(name));
}

function openOn(home: PostgresServer, name: string): Scratch {
  const url = home.url(name);
  const sql = postgres(url, { max: 4, onnotice: () => {} });
  const opened: Database[] = [];
  const shared: Database[] = [];
  const forwarders: Forwarder[] = [];
  const roles: string[] = [];
  const close = async (databases: Database[]) => {
    await Promise.all(databases.splice(0).map((database) => database.close()));
    await Promise.all(forwarders.splice(0).map((forwarder) => forwarder.close()));
  };
  const open = async (options: PostgresOptions = {}, address = url) =>
    // Beside other work, the five seconds of the service may pass.
    withIdempotentClose(await openPostgres(address, { timeoutMs: 20_000, ...options }));
  const remove = async () => {
    await close([...opened.splice(0), ...shared.splice(0)]);
    await sql.end({ timeout: 0 });
    await home.dropDatabase(name);
    for (const role of roles) await home.sql`DROP ROLE ${home.sql(role)}`;
  };
  return {
    server: home,
    name,
    url,
    sql,
    roleUrl: (role) => home.url(name, { user: role }),
    async createRole() {
      const role = `role_${randomBytes(8).toString('hex')}`;
      await home.sql`CREATE ROLE ${sql(role)} LOGIN`;
      roles.push(role);
      return role;
    },
    async open(...args) {
      const database = await open(...args);
      opened.push(database);
      return database;
    },
    async openThrough(options) {
      const forwarder = await startForwarder(home);
      forwarders.push(forwarder);
      const through = home.url(name, { port: forwarder.port });
      const database = await open(options, through);
      opened.push(database);
      return { forwarder, url: through, database };
    },
    async openShared() {
      const database = await open();
      shared.push(database);
      return database;
    },
    async hold(statements) {
      const holder = await sql.reserve();
      await holder.unsafe(`BEGIN; ${statements}`);
      return async (end = 'COMMIT') => {
        await holder.unsafe(end);
        holder.release();
      };
    },
    async backends(waitingFor) {
      return home.sql<Backend[]>`SELECT state, query FROM pg_stat_activity
        WHERE datname = ${name} AND application_name = 'animal-store'
        ${waitingFor === undefined ? home.sql`` : home.sql`AND wait_event_type = ${waitingFor}`}`;
    },
    async empty() {
      await close(opened);
      await sql.unsafe(`ALTER DATABASE ${name} RESET ALL; ${EMPTYING}`);
    },
    async endBackends() {
      await home.sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = ${name} AND application_name = 'animal-store'`;
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** An engine for a service on a database that the test opens, and that is removed with its scratch. */
export const engineOf = (open: () => Promise<Database>): Engine => ({
  name: 'PostgreSQL',
  async open() {
    const unused = () => Promise.reject(new Error('Not supported.'));
    return { database: await open(), reopen: unused, bytes: unused, remove: async () => {} };
  },
});

/** Resolves with the StorageError of the work. @throws if it fails otherwise, or succeeds. */
export async function failureOf(work: Promise<unknown>): Promise<StorageError> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (reason) => reason,
  );
  if (error instanceof StorageError) return error;
  throw error;
}

/** A promise and its resolver, to block work in a test. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A barrier: the returned function resolves for all when it has been called `size` times. Later calls do not wait. */
export function barrier(size: number): () => Promise<void> {
  const { opened, open } = gate();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === size) open();
    return opened;
  };
}
