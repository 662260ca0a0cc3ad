import { runSteps } from '../../../steps.ts';
import { findWrongEvents } from '../../event-faults.ts';
import { findWrongFolds } from '../../folded-texts.ts';
import { findWrongCounts, findWrongRows, idsUsedUp } from '../../invariants.ts';
import type { Fault } from '../../maintenance.ts';
import { expectedObjects } from '../schema/objects.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import type { LongTransaction } from '../transactions/long-transaction.ts';

/** Everything that is wrong with the tables. Reads all of them, but not the pages of indexes: `pg_amcheck` does that. */
export async function inspect(transaction: LongTransaction, version: number): Promise<Fault[]> {
  const faults: Fault[] = [];
  const structure = (message: string) => faults.push({ kind: 'structure', message });
  const found = await readObjects(transaction);
  for (const name of expectedObjects(version)) {
    if (!found.has(name)) structure(`the ${name} is missing`);
    else if (!found.get(name)) structure(`the ${name} is disabled or invalid`);
  }
  if (expectedObjects(version).some((name) => isTable(name) && !found.has(name))) return faults;
  const sql = new PostgresSql(transaction.run);
  await runSteps(findWrongRows(sql, version, faults));
  faults.push(...(await sequenceFaults(transaction)));
  for (const table of ['events', 'outbox']) await runSteps(findWrongEvents(sql, table, faults));
  await runSteps(findWrongFolds(sql, version, faults));
  await runSteps(findWrongCounts(sql, faults));
  return faults;
}

/** The sequences that assign no more ids, or ids that were assigned before. */
async function sequenceFaults(transaction: LongTransaction): Promise<Fault[]> {
  const rows = await transaction.run<{ table: string; name: string; isUsedUp: boolean }>(
    `SELECT replace(sequencename, '_id_seq', '') AS table, sequencename AS name, last_value >= max_value AND NOT cycle AS "isUsedUp"
    FROM pg_sequences WHERE schemaname = 'animal_store' AND (last_value >= max_value OR cycle OR increment_by < 1)
    ORDER BY sequencename`,
  );
  return rows.map(({ table, name, isUsedUp }) => ({
    kind: 'rows',
    message: isUsedUp ? idsUsedUp(table) : `the sequence ${name} may assign an id twice`,
  }));
}

/** The objects in our schema that the migrations did not create, such as `view report`. */
export async function otherObjects(
  transaction: LongTransaction,
  version: number,
): Promise<string[]> {
  const expected = new Set(['table schema_version', ...expectedObjects(version)]);
  const found = await readObjects(transaction);
  return [...found.keys()].filter((name) => !expected.has(name));
}

const isTable = (name: string): boolean => name.startsWith('table ');

/** The objects in our schema by kind and name, such as `table pets`, and whether each works. Without the indexes of constraints. */
async function readObjects(transaction: LongTransaction): Promise<Map<string, boolean>> {
  const rows = await transaction.run<{ name: string; works: boolean }>(
    `SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' WHEN 'f' THEN 'foreign table '
        WHEN 'i' THEN 'index ' ELSE 'table ' END || relname AS name,
        coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = pg_class.oid), true) AS works
      FROM pg_class WHERE relnamespace = 'animal_store'::regnamespace AND relkind IN ('r', 'p', 'i', 'v', 'm', 'f')
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = pg_class.oid)
    UNION ALL
    SELECT 'trigger ' || tgname, tgenabled <> 'D' FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = 'animal_store'::regnamespace AND NOT tgisinternal
    UNION ALL
    SELECT 'function ' || proname, true FROM pg_proc WHERE pronamespace = 'animal_store'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
    ORDER BY 1`,
  );
  return new Map(rows.map(({ name, works }) => [name, works]));
}
