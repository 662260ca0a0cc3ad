import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import postgres from 'postgres';
import { importRows } from '../ours.ts';
import type { PostgresServer } from '../postgres.ts';
import { rowsFile } from '../rows.ts';
import type { Workspace } from '../workspace.ts';

/** Bytes of the animals' table, and of all its indexes. */
interface Sizes {
  readonly table: number;
  readonly indexes: number;
}

export interface BytesPerAnimal {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly nameLength: number;
  /** Bytes that one more animal takes, from the smaller catalogue to the larger. */
  readonly table: number;
  readonly indexes: number;
}

/** With 0 names have some 12 characters, as in all workloads. */
const NAME_LENGTHS = [0, 200];

/** Measures what an animal takes on disk, by importing two catalogues into each engine. */
export async function bytesPerAnimal(
  workspace: Workspace,
  server: PostgresServer,
  [small, large]: readonly [number, number],
): Promise<BytesPerAnimal[]> {
  const results: BytesPerAnimal[] = [];
  for (const nameLength of NAME_LENGTHS) {
    const measured = { SQLite: sizesOnSqlite, PostgreSQL: sizesOnPostgres };
    for (const engine of ['SQLite', 'PostgreSQL'] as const) {
      const sizesOf = (count: number) => measured[engine](workspace, server, count, nameLength);
      const [before, after] = [await sizesOf(small), await sizesOf(large)];
      const perAnimal = (part: keyof Sizes) => (after[part] - before[part]) / (large - small);
      const [table, indexes] = [perAnimal('table'), perAnimal('indexes')];
      results.push({ engine, nameLength, table, indexes });
    }
  }
  return results;
}

async function sizesOnSqlite(
  workspace: Workspace,
  _server: PostgresServer,
  count: number,
  nameLength: number,
): Promise<Sizes> {
  const path = join(workspace.folder('sizes'), `animals-${count}-${nameLength}.db`);
  await importRows(workspace, path, await rowsFile(count, nameLength));
  const database = new Database(path, { readonly: true });
  const bytesOf = (isTable: string): number =>
    database
      .query<{ bytes: number }, []>(
        `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE AND name IN
           (SELECT name FROM sqlite_schema WHERE tbl_name = 'pets' AND (name = 'pets') IS ${isTable})`,
      )
      .get()?.bytes ?? Number.NaN;
  const sizes = { table: bytesOf('TRUE'), indexes: bytesOf('FALSE') };
  database.close();
  return sizes;
}

async function sizesOnPostgres(
  workspace: Workspace,
  server: PostgresServer,
  count: number,
  nameLength: number,
): Promise<Sizes> {
  const url = await server.createDatabase(`sizes_${count}_${nameLength}`);
  await importRows(workspace, url, await rowsFile(count, nameLength));
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`
    SELECT pg_table_size('animal_store.pets')::float8 AS "table", pg_indexes_size('animal_store.pets')::float8 AS indexes`;
  await sql.end();
  return { table: Number(row?.['table']), indexes: Number(row?.['indexes']) };
}
