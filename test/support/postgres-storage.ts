import postgres, { type Sql } from 'postgres';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { closingOnce } from './closing-once.ts';
import { sharedPostgres } from './postgres-server.ts';
import type { TestStorage } from './test-storage.ts';

/** A database with the program's tables, and a connection to it beside the program's own. */
interface MigratedDatabase {
  readonly url: string;
  readonly sql: Sql;
  /** Its tables, without that which tells the schema's version. */
  readonly tables: readonly string[];
}

/** Databases that were emptied. Making one takes many times as long; the server takes them with it. */
const free: MigratedDatabase[] = [];

/** Few connections for each database: many are open at once. */
const OPTIONS = { connections: 8 };

/** After how long a lock that a test left behind fails the test instead of stopping all. */
const LOCK_TIMEOUT_MS = 5_000;

/** An empty database on the server that all tests share. */
export async function openPostgresStorage(): Promise<TestStorage> {
  const migrated = free.pop() ?? (await makeDatabase());
  const open = async () => closingOnce(await openPostgres(migrated.url, OPTIONS));
  let database = await open();
  return {
    get database() {
      return database;
    },
    async reopen() {
      await database.close();
      database = await open();
      return database;
    },
    bytes: () => readAllBytes(migrated),
    async remove() {
      await database.close();
      await migrated.sql.unsafe(`TRUNCATE ${migrated.tables.join()} RESTART IDENTITY`);
      free.push(migrated);
    },
  };
}

let template: Promise<string> | undefined;

async function makeDatabase(): Promise<MigratedDatabase> {
  const server = await sharedPostgres();
  template ??= makeTemplate();
  const url = server.url(await server.createDatabase(await template));
  const sql = postgres(url, { max: 1, connection: { lock_timeout: LOCK_TIMEOUT_MS } });
  const tables = await sql`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname = 'animal_store' AND tablename <> 'schema_version' ORDER BY tablename`;
  return { url, sql, tables: tables.map(({ name }) => name) };
}

/** A database that was migrated, and that nobody is connected to: others are copies of it. */
async function makeTemplate(): Promise<string> {
  const server = await sharedPostgres();
  const name = await server.createDatabase();
  await (await openPostgres(server.url(name))).close();
  return name;
}

/** Every value of every row: binary ones as they are, the others as text. */
async function readAllBytes({ sql, tables }: MigratedDatabase): Promise<Buffer> {
  const values: Buffer[] = [];
  for (const table of tables) {
    for (const row of await sql.unsafe(`SELECT * FROM ${table}`).values()) {
      for (const value of row)
        values.push(Buffer.isBuffer(value) ? value : Buffer.from(`${value}`));
    }
  }
  return Buffer.concat(values);
}
