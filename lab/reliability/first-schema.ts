/** Catalogues of the first schema, as the programs of the first version left them. */
import type { Sql } from 'postgres';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { migrate as migratePostgres } from '../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS as OF_POSTGRES } from '../../src/storage/postgres/schema/migrations.ts';
import { openForWriting } from '../../src/storage/sqlite/connections/connection.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { migrate } from '../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { TABLES } from '../../src/storage/tables.ts';
import { fillCatalogue } from '../../test/storage/full-catalogue.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

/** How often each event is there: the indexes of events then have many pages. */
const EVENTS = 20;

/** The rows of a table of the current schema, as a table of the first one has them. Triggers derive the other tables. */
const copyOf = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM newest.${table.split('.').at(-1)}`;

/** Adds the events again. */
function* repeatEvents(table: string, columns: readonly string[]): Generator<string> {
  const others = columns.filter((column) => column !== 'id').join();
  for (let count = 1; count < EVENTS; count += 1)
    yield `INSERT INTO ${table} (${others}) SELECT ${others} FROM newest.events`;
}

/** Creates a file with rows of every kind. */
export async function createFirstFile(path: string): Promise<void> {
  const folder = temporaryFolder({ inMemory: true });
  const newest = openSqlite(folder.file('newest.db'));
  await fillCatalogue(newest);
  await newest.close();
  const connection = openForWriting(path);
  migrate(connection, path, MIGRATIONS.slice(0, 1));
  connection.query('ATTACH ? AS newest').run(folder.file('newest.db'));
  for (const { name } of TABLES) {
    const columns = connection
      .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?, 'main')")
      .all(name)
      .map((column) => column.name);
    // A later schema has added the table.
    if (columns.length === 0) continue;
    connection.run(copyOf(`main.${name}`, columns));
    if (name === 'events')
      for (const statement of repeatEvents('main.events', columns)) connection.run(statement);
  }
  connection.close(true);
  folder.remove();
}

/** Fills an empty database with rows of every kind. */
export async function fillFirstDatabase(url: string, sql: Sql): Promise<void> {
  const newest = await openPostgres(url, { connections: 2 });
  await fillCatalogue(newest);
  await newest.close();
  await sql`ALTER SCHEMA animal_store RENAME TO newest`;
  const options = { url, prepared: true, serverTimeoutMs: undefined };
  await migratePostgres(options, { migrations: OF_POSTGRES.slice(0, 1) });
  for (const { name, assignsIds } of TABLES) {
    if (!OF_POSTGRES[0]?.includes(`CREATE TABLE animal_store.${name} `)) continue;
    const table = `animal_store.${name}`;
    const rows = await sql<{ column: string }[]>`SELECT attname AS column FROM pg_attribute
      WHERE attrelid = ${table}::regclass AND attnum > 0 ORDER BY attnum`;
    const columns = rows.map(({ column }) => column);
    await sql.unsafe(copyOf(table, columns));
    if (assignsIds) await sql.unsafe(`SELECT setval('${table}_id_seq', max(id)) FROM ${table}`);
    if (name === 'events')
      for (const statement of repeatEvents(table, columns)) await sql.unsafe(statement);
  }
  await sql`DROP SCHEMA newest CASCADE`;
}
