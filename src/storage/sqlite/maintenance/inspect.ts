import type { Database as Sqlite } from 'bun:sqlite';
import { INT64_MAX } from '../../../int64.ts';
import { runSteps } from '../../../steps.ts';
import { findWrongEvents } from '../../event-faults.ts';
import { findWrongFolds } from '../../folded-texts.ts';
import { findWrongCounts, findWrongRows, idsUsedUp, MAX_FAULTS } from '../../invariants.ts';
import type { Fault } from '../../maintenance.ts';
import { damageIn } from '../failures.ts';
import {
  DamagedFile,
  foreignTriggerFaults,
  hasImpossibleTimeOfKey,
  IMPOSSIBLE_TIME_OF_KEY,
  integrityFaults,
  schemaFaults,
} from '../integrity/integrity-check.ts';
import { expectedSchemaOf, schemaOf, schemaVersion } from '../schema/migrate.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';

/**
 * Everything that is wrong with a file, in one snapshot. Reads all of it. Changes nothing.
 * @throws StorageError if the file cannot be read for another reason than damage.
 */
export function inspect(connection: Sqlite): Fault[] {
  const faults: Fault[] = [];
  const add = (found: Iterable<Fault>) => {
    for (const fault of found) faults.push(fault);
  };
  connection.run('BEGIN');
  try {
    for (const find of [schema, triggers, pages, references])
      collect(() => add(find(connection)), faults);
    if (hasTables(connection)) {
      const sql = new SqliteSql(connection);
      const version = schemaVersion(connection);
      for (const find of [
        () => add(keys(connection)),
        () => runSteps(findWrongRows(sql, version, faults)),
        () => runSteps(findWrongCounts(sql, faults)),
        () => add(sequences(connection)),
        () => runSteps(findWrongEvents(sql, 'events', faults)),
        () => runSteps(findWrongFolds(sql, version, faults)),
      ])
        collect(find, faults);
    }
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
  return faults;
}

/** Runs `find`, which adds faults. Damage that makes a query fail is a fault, too: the others may still work. */
function collect(find: () => unknown, faults: Fault[]): void {
  try {
    find();
  } catch (error) {
    const { message } = damageIn(error);
    if (!faults.some((fault) => fault.message === message)) faults.push(structure(message));
  }
}

const structure = (message: string): Fault => ({ kind: 'structure', message });

/** Whether queries can read every table. */
function hasTables(connection: Sqlite): boolean {
  const found = schemaOf(connection);
  return [...expectedSchemaOf(connection)].every(
    ([key, { kind, sql }]) => kind !== 'table' || found.get(key)?.sql === sql,
  );
}

function* schema(connection: Sqlite): Generator<Fault> {
  for (const message of schemaFaults(connection)) yield structure(message);
}

function* triggers(connection: Sqlite): Generator<Fault> {
  for (const message of foreignTriggerFaults(connection)) yield { kind: 'foreign', message };
}

function* pages(connection: Sqlite): Generator<Fault> {
  const check = `integrity_check(${MAX_FAULTS})`;
  for (const message of integrityFaults(connection, check)) yield structure(message);
}

function* references(connection: Sqlite): Generator<Fault> {
  const found = connection.query<{ table: string }, []>('PRAGMA foreign_key_check').all();
  for (const table of new Set(found.map((row) => row.table)))
    yield structure(`a row of ${table} refers to a missing API key`);
}

function* keys(connection: Sqlite): Generator<Fault> {
  if (hasImpossibleTimeOfKey(connection)) yield structure(IMPOSSIBLE_TIME_OF_KEY);
}

/** The numbers from which ids are assigned. */
function* sequences(connection: Sqlite): Generator<Fault> {
  const wrong = connection.query<{ name: string; isUsedUp: number }, []>(
    `SELECT name, count(*) = 1 AND max(typeof(seq)) = 'integer' AND max(seq) > 0 AS isUsedUp FROM sqlite_sequence
    GROUP BY name HAVING count(*) > 1 OR max(typeof(seq) <> 'integer') OR max(seq) < 0 OR max(seq) = ${INT64_MAX} ORDER BY name`,
  );
  for (const { name, isUsedUp } of wrong.all()) {
    const message = isUsedUp ? idsUsedUp(name) : `sqlite_sequence has no valid number for ${name}`;
    yield { kind: 'rows', message };
  }
}

/** Runs `work`, which opens a file. Returns a fault if the file is so damaged that it cannot be opened. */
export function withFaultOfFile<T>(work: () => T): T | { readonly faults: Fault[] } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return { faults: [structure(error.what)] };
  }
}
