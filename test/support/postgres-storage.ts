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
}

/** Empty databases for reuse because creating one takes much longer. The server removes them. */
const free: MigratedDatabase[] = [];

/** Few connections because many databases are open simultaneously, and a long timeout because of other work on the machine. */
const OPTIONS = { connections: 8, timeoutMs: 20_000 };

/** Of all tables, without their indexes. Deleted rows take space until TRUNCATE or VACUUM. */
const MAX_DELETED_BYTES = 400_000;

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
      await migrated.sql.unsafe(EMPTYING);
      free.push({ ...migrated, database: isClosed(database) ? undefined : database });
    },
  };
}

async function createDatabase(): Promise<MigratedDatabase> {
  const server = await sharedPostgres();
  const url = server.url(await server.createDatabase(await migratedTemplate(server)));
  const sql = postgres(url, { max: 1, fetch_types: false });
  return { url, sql };
}

/**
 * SQL that removes all rows, and restarts the ids. Sent at once, it is one transaction. Few rows are deleted, from tables that have
 * had any: TRUNCATE replaces the files of all tables and indexes, which takes 20 times as long.
 */
export const EMPTYING = `
  SET LOCAL lock_timeout = '5s'; -- a lock that a test leaves behind fails the test
  SET LOCAL session_replication_role = replica; -- without triggers, which would count the removed animals
  DO $$
    DECLARE
      name regclass;
      names regclass[] := ARRAY(SELECT oid FROM pg_class WHERE relnamespace = 'animal_store'::regnamespace
        AND relkind = 'r' AND relname NOT IN ('schema_version', 'event_feed') ORDER BY relname);
      used regclass[];
    BEGIN
      -- As TRUNCATE does: it waits for a transaction that a test left behind.
      EXECUTE 'LOCK TABLE ' || array_to_string(names, ',');
      used := ARRAY(SELECT one FROM unnest(names) AS one WHERE pg_relation_size(one) > 0);
      IF (SELECT sum(pg_relation_size(one)) FROM unnest(used) AS one) > ${MAX_DELETED_BYTES} THEN
        EXECUTE 'TRUNCATE ' || array_to_string(names, ',');
      ELSE
        FOREACH name IN ARRAY used LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
      END IF;
    END $$;
  SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences WHERE schemaname = 'animal_store';
  UPDATE animal_store.event_feed SET deleted_to = 0`;

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
async function readAllBytes({ sql }: MigratedDatabase): Promise<Buffer> {
  const values: Buffer[] = [];
  const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store'`;
  for (const { tablename } of tables) {
    for (const row of await sql.unsafe(`SELECT * FROM animal_store.${tablename}`).values()) {
      for (const value of row)
        values.push(Buffer.isBuffer(value) ? value : Buffer.from(`${value}`));
    }
  }
  return Buffer.concat(values);
}
