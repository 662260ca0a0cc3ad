import postgres, { type Sql } from 'postgres';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { withIdempotentClose } from './idempotent-close.ts';
import { sharedPostgres } from './postgres-server.ts';
import type { TestStorage } from './test-storage.ts';

/** A migrated database, with a connection of a superuser. */
interface MigratedDatabase {
  readonly url: string;
  readonly sql: Sql;
  /** Its tables without `schema_version`. */
  readonly tables: readonly string[];
}

/** Empty databases for reuse because creating one takes much longer. The server removes them. */
const free: MigratedDatabase[] = [];

/** Few connections for each database because many databases are open simultaneously. */
const OPTIONS = { connections: 8 };

/** A lock that a test leaves behind then fails the test instead of blocking it. */
const LOCK_TIMEOUT_MS = 5_000;

/** Opens an empty database on the shared server. */
export async function openPostgresStorage(): Promise<TestStorage> {
  const migrated = free.pop() ?? (await createDatabase());
  const open = async () => withIdempotentClose(await openPostgres(migrated.url, OPTIONS));
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

async function createDatabase(): Promise<MigratedDatabase> {
  const server = await sharedPostgres();
  template ??= createTemplate();
  const url = server.url(await server.createDatabase(await template));
  const sql = postgres(url, { max: 1, connection: { lock_timeout: LOCK_TIMEOUT_MS } });
  const tables = await sql`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname = 'animal_store' AND tablename <> 'schema_version' ORDER BY tablename`;
  return { url, sql, tables: tables.map(({ name }) => name) };
}

/** Creates a migrated database without connections, the template of the others. */
async function createTemplate(): Promise<string> {
  const server = await sharedPostgres();
  const name = await server.createDatabase();
  await (await openPostgres(server.url(name))).close();
  return name;
}

/** All values of all rows: binary ones unchanged, the others as text. */
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
