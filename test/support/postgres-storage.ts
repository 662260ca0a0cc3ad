import postgres, { type Sql } from 'postgres';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { isClosed, withIdempotentClose } from './idempotent-close.ts';
import { type PostgresServer, sharedPostgres } from './postgres-server.ts';
import type { TestStorage } from './test-storage.ts';

/** A migrated database, with a connection of a superuser. */
interface MigratedDatabase {
  readonly url: string;
  readonly sql: Sql;
  /** Open if the last test left it open: opening and warming it takes longer than most tests. */
  readonly database?: Database | undefined;
  /** Its tables that are empty at first. */
  readonly tables: readonly string[];
  /** Removes all rows, and restarts the ids. */
  empty(): Promise<void>;
}

/** Empty databases for reuse because creating one takes much longer. The server removes them. */
const free: MigratedDatabase[] = [];

/** Few connections because many databases are open simultaneously, and a long timeout because of other work on the machine. */
const OPTIONS = { connections: 8, timeoutMs: 20_000 };

/** A lock that a test leaves behind then fails the test instead of blocking it. */
const LOCK_TIMEOUT_MS = 5_000;

/** Of all tables with their indexes: empty ones take 330 kB. Deleted rows take space until TRUNCATE or VACUUM. */
const MAX_DELETED_BYTES = 1_000_000;

/** Opens an empty database on the shared server. */
export async function openPostgresStorage(): Promise<TestStorage> {
  const migrated = free.pop() ?? (await createDatabase());
  const open = async () => withIdempotentClose(await openPostgres(migrated.url, OPTIONS));
  let database = migrated.database ?? (await open());
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
      await migrated.empty();
      free.push({ ...migrated, database: isClosed(database) ? undefined : database });
    },
  };
}

async function createDatabase(): Promise<MigratedDatabase> {
  const server = await sharedPostgres();
  const url = server.url(await server.createDatabase(await migratedTemplate(server)));
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connection: { lock_timeout: LOCK_TIMEOUT_MS },
  });
  const rows = await sql`SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname = 'animal_store' AND tablename NOT IN ('schema_version', 'event_feed') ORDER BY tablename`;
  const tables = rows.map(({ name }) => name);
  return { url, sql, tables, empty: emptierOf(sql, tables) };
}

/** Few rows are deleted: TRUNCATE replaces the files of all tables and indexes, which takes 20 times as long. */
function emptierOf(sql: Sql, tables: readonly string[]): MigratedDatabase['empty'] {
  const bytes = tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ');
  const statements = [
    'SET LOCAL session_replication_role = replica', // without triggers, which would count the removed animals
    // As TRUNCATE does: it waits for a transaction that a test left behind.
    `LOCK TABLE ${tables.join()}`,
    ...tables.map((table) => `DELETE FROM ${table}`),
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      FROM pg_sequences WHERE schemaname = 'animal_store'`,
  ];
  const deletion = `BEGIN; ${statements.join(';')}; COMMIT`;
  return async () => {
    const [row] = await sql.unsafe(`SELECT ${bytes} AS size`);
    const isSmall = Number(row?.['size']) < MAX_DELETED_BYTES;
    await sql.unsafe(isSmall ? deletion : `TRUNCATE ${tables.join()} RESTART IDENTITY`);
    await sql`UPDATE animal_store.event_feed SET deleted_to = 0`;
  };
}

const templates = new WeakMap<PostgresServer, Promise<string>>();

/** The name of a migrated database on a server, without connections. Its copies need no migration, which takes much longer. */
export function migratedTemplate(server: PostgresServer): Promise<string> {
  const template = templates.get(server) ?? createTemplate(server);
  templates.set(server, template);
  return template;
}

async function createTemplate(server: PostgresServer): Promise<string> {
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
