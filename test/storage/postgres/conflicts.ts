import type { Sql } from 'postgres';

export interface Faults {
  /** The number of all statements and commits, including the failed ones. */
  readonly chances: number;
  readonly inStatements: number;
  readonly atCommit: number;
}

/** Makes the server abort transactions of a role that is not a superuser, like a conflict. */
export interface Conflicts {
  /** Restores the rows from the time of the installation. */
  reset(): Promise<void>;
  /** Makes the statements and commits number `from` to `to` fail with a SQLSTATE. */
  strike(sqlstate: string, from: number, to?: number): Promise<void>;
  /** Stops the failures and returns their numbers. */
  calm(): Promise<Faults>;
}

/**
 * Without indexes a statement checks the policy for every row of its table, and does so first because of
 * its low COST. So a statement that matches no row can fail, too, unless its table is empty.
 */
const WITHOUT_INDEXES = ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan'];

/** `strike` counts each statement once, for any number of rows. Sequences are not rolled back, so they count across attempts. */
const INSTALL = `
  CREATE SCHEMA chaos;
  GRANT USAGE ON SCHEMA chaos TO public;
  CREATE TABLE chaos.plan AS SELECT '40001' AS sqlstate, 0::bigint AS first, 0::bigint AS last;
  CREATE SEQUENCE chaos.chances;
  CREATE SEQUENCE chaos.in_statements;
  CREATE SEQUENCE chaos.at_commit;
  CREATE FUNCTION chaos.strike(kind text) RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER COST 0.0001 AS $$
    DECLARE
      plan chaos.plan;
      statement text := kind || statement_timestamp();
      chance bigint;
    BEGIN
      IF current_setting('chaos.counted', true) = statement THEN RETURN true; END IF;
      PERFORM set_config('chaos.counted', statement, false);
      chance := nextval('chaos.chances');
      SELECT * INTO plan FROM chaos.plan;
      IF chance BETWEEN plan.first AND plan.last THEN
        PERFORM nextval('chaos.' || kind);
        RAISE EXCEPTION 'struck' USING ERRCODE = plan.sqlstate;
      END IF;
      RETURN true;
    END $$;
  CREATE FUNCTION chaos.before_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM chaos.strike('at_commit');
      RETURN NULL;
    END $$;
`;

/** The additions to each table. FORCE applies the policy to its owner, too. */
const installOn = (table: string) => `
  CREATE TABLE chaos.${table} AS SELECT * FROM animal_store.${table};
  ALTER TABLE animal_store.${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE animal_store.${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY chaos ON animal_store.${table}
    USING (chaos.strike('in_statements')) WITH CHECK (chaos.strike('in_statements'));
  CREATE CONSTRAINT TRIGGER chaos AFTER INSERT OR UPDATE OR DELETE ON animal_store.${table}
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chaos.before_commit();
`;

const RESTART = ['chances', 'in_statements', 'at_commit'].map(
  (sequence) => `SELECT setval('chaos.${sequence}', 1, false);`,
);

const countOf = (sequence: string) =>
  `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM chaos.${sequence})::int`;

/** Installs this in a catalogue, for later sessions. `sql` belongs to a superuser, who bypasses the policy. */
export async function installConflicts(sql: Sql, database: string): Promise<Conflicts> {
  for (const setting of WITHOUT_INDEXES)
    await sql`ALTER DATABASE ${sql(database)} SET ${sql(setting)} = off`;
  const found = await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store'`;
  const tables = found.map(({ tablename }): string => tablename);
  await sql.unsafe(INSTALL + tables.map(installOn).join(''));
  return {
    async reset() {
      // TRUNCATE would replace the files of all tables, which takes many times as long for so few rows.
      const refill = tables.map(
        (table) => `DELETE FROM animal_store.${table};
          INSERT INTO animal_store.${table} SELECT * FROM chaos.${table};`,
      );
      const ids = ['pets', 'orders', 'api_keys', 'outbox', 'events'].map(
        (table) => `SELECT setval('animal_store.${table}_id_seq', max(id))
          FROM chaos.${table} HAVING count(*) > 0;`,
      );
      await sql.unsafe(`SELECT set_config('session_replication_role', 'replica', true);
        ${refill.join('')}
        SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
          FROM pg_sequences WHERE schemaname = 'animal_store';
        ${ids.join('')}`);
    },
    async strike(sqlstate, from, to = from) {
      await sql.unsafe(`${RESTART.join('')}
        UPDATE chaos.plan SET sqlstate = '${sqlstate}', first = ${from}, last = ${to}`);
    },
    async calm() {
      const [faults] = await sql.unsafe<Faults[]>(`UPDATE chaos.plan SET first = 0, last = 0
        RETURNING ${countOf('chances')} AS chances, ${countOf('in_statements')} AS "inStatements",
          ${countOf('at_commit')} AS "atCommit"`);
      if (faults === undefined) throw new Error('There is no plan.');
      return faults;
    },
  };
}

export type Row = Readonly<Record<string, unknown>>;

const TABLES = [
  'pets',
  'orders',
  'categories',
  'api_keys',
  'operation_usage',
  'daily_usage',
  'idempotency_records',
];

/** Of events, only what has no id. */
const ROWS = [
  ...TABLES.map((table) => `SELECT * FROM animal_store.${table} ORDER BY 1, 2`),
  'SELECT type, at, key_id FROM animal_store.outbox ORDER BY id',
].join(';');

/** All rows of the catalogue, without random values. */
export async function rowsOf(sql: Sql): Promise<Record<string, Row[]>> {
  const all: readonly Row[][] = await sql.unsafe<Row[][]>(ROWS);
  return Object.fromEntries(
    [...TABLES, 'events'].map((name, index) => [
      name,
      (all[index] ?? []).map(({ hash: _hash, hint: _hint, response: _response, ...row }) => row),
    ]),
  );
}
