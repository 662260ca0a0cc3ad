import { Database } from 'bun:sqlite';
import { rmSync, statSync } from 'node:fs';
import postgres from 'postgres';
import { unindexedIn } from '../indexed.ts';

/** What a search part needs to know of a database, read beside the service. */
export interface SearchCatalogue {
  /** A path or a URL. */
  readonly database: string;
  /** The number of animals that are not in the index yet. */
  unindexed(): Promise<number>;
  /** Bytes by what takes them. */
  sizes(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export function sqliteCatalogue(database: string): SearchCatalogue {
  const connection = new Database(database, { readonly: true });
  return {
    database,
    unindexed: async () => unindexedIn(connection),
    async sizes() {
      const copy = `${database}-copy`;
      connection.run('VACUUM INTO ?', [copy]);
      const withIndex = statSync(copy).size;
      const changed = new Database(copy);
      changed.run('DROP TABLE pet_names');
      changed.run('VACUUM');
      changed.close();
      const withoutIndex = statSync(copy).size;
      rmSync(copy);
      return {
        'file in use': statSync(database).size,
        'file, after VACUUM': withIndex,
        'without the index, after VACUUM': withoutIndex,
        index: withIndex - withoutIndex,
      };
    },
    close: async () => connection.close(),
  };
}

export function postgresCatalogue(database: string): SearchCatalogue {
  const sql = postgres(database, { max: 1, onnotice: () => {} });
  return {
    database,
    async unindexed() {
      const [row] = await sql`
        SELECT count(*)::int AS count FROM animal_store.pets WHERE folded_name IS NULL`;
      return Number(row?.['count']);
    },
    async sizes() {
      const rows = await sql<{ name: string; bytes: number }[]>`
        SELECT relname AS name, pg_relation_size(oid)::float8 AS bytes FROM pg_class
        WHERE relnamespace = 'animal_store'::regnamespace AND pg_relation_size(oid) > 1000000
        ORDER BY relkind DESC, relname`;
      return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
    },
    close: () => sql.end(),
  };
}
