import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { type Database, StorageError } from '../../../src/storage/database.ts';
import { openPostgres, type PostgresOptions } from '../../../src/storage/postgres/open.ts';
import { closingOnce } from '../../support/closing-once.ts';
import { type PostgresServer, sharedPostgres } from '../../support/postgres-server.ts';

/** A session of the server, as it tells of it. */
interface Backend {
  readonly state: string;
  readonly query: string;
}

/** An empty database for one test, and a look at it from beside. */
export interface Scratch {
  readonly server: PostgresServer;
  readonly name: string;
  readonly url: string;
  /** The superuser's own connection to it. */
  readonly sql: Sql;
  /** The address for a new role that may connect, and nothing more unless it is granted. */
  roleUrl(name: string): string;
  makeRole(): Promise<string>;
  /** Opens it as the program does. `remove` closes what the test has not. */
  open(options?: Partial<PostgresOptions>, url?: string): Promise<Database>;
  /** The program's sessions that are there now, or those that wait for something of that type. */
  backends(waitingFor?: 'Lock' | 'Timeout'): Promise<Backend[]>;
  /** Ends the program's sessions, as an administrator would. */
  endBackends(): Promise<void>;
  remove(): Promise<void>;
}

export async function openScratch(server?: PostgresServer): Promise<Scratch> {
  const home = server ?? (await sharedPostgres());
  const name = await home.createDatabase();
  const url = home.url(name);
  const sql = postgres(url, { max: 4, onnotice: () => {} });
  const opened: Database[] = [];
  const roles: string[] = [];
  return {
    server: home,
    name,
    url,
    sql,
    roleUrl: (role) => home.url(name, { user: role }),
    async makeRole() {
      const role = `role_${randomBytes(8).toString('hex')}`;
      await home.sql`CREATE ROLE ${sql(role)} LOGIN`;
      roles.push(role);
      return role;
    },
    async open(options = {}, address = url) {
      const database = closingOnce(await openPostgres(address, options));
      opened.push(database);
      return database;
    },
    async backends(waitingFor) {
      return home.sql<Backend[]>`SELECT state, query FROM pg_stat_activity
        WHERE datname = ${name} AND application_name = 'animal-store'
        ${waitingFor === undefined ? home.sql`` : home.sql`AND wait_event_type = ${waitingFor}`}`;
    },
    async endBackends() {
      await home.sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = ${name} AND application_name = 'animal-store'`;
    },
    async remove() {
      await Promise.all(opened.map((database) => database.close()));
      await sql.end({ timeout: 0 });
      await home.dropDatabase(name);
      for (const role of roles) await home.sql`DROP ROLE ${home.sql(role)}`;
    },
  };
}

/** How the work fails, as the rest of the program sees it. @throws when it fails otherwise, or not. */
export async function failureOf(work: Promise<unknown>): Promise<StorageError> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (reason) => reason,
  );
  if (error instanceof StorageError) return error;
  throw error;
}

/** Resolves when a condition that has to be asked for holds. */
export async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${condition}`);
    await sleep(5);
  }
}

/** A promise, and what resolves it: how a test holds work up. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Resolves for all when as many have come as were named: whoever comes later need not wait. */
export function meeting(size: number): () => Promise<void> {
  const { opened, open } = gate();
  let come = 0;
  return () => {
    come += 1;
    if (come === size) open();
    return opened;
  };
}
