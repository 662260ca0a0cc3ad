import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { INT64_MAX } from '../../../int64.ts';
import { StorageError } from '../../database.ts';
import { collectDamaged, selectStored } from '../../event-faults.ts';
import {
  countFaults,
  faultsOf,
  type InvariantRow,
  idsUsedUp,
  invariants,
  MAX_FAULTS,
  toFaults,
  WRONG_COUNTS,
} from '../../invariants.ts';
import type { Fault } from '../../maintenance.ts';
import { toStorageError } from '../failures.ts';
import {
  DamagedFile,
  foreignTriggerFaults,
  hasImpossibleTimeOfKey,
  IMPOSSIBLE_TIME_OF_KEY,
  integrityFaults,
  schemaFaults,
} from '../integrity/integrity-check.ts';
import { expectedSchemaOf, schemaOf, schemaVersion } from '../schema/migrate.ts';
import { toInt64 } from '../statements/exact-query.ts';
import { foldFaults } from '../statements/folded-texts.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';

/**
 * Everything that is wrong with a file, in one snapshot. Reads all of it. Changes nothing.
 * @throws StorageError if the file cannot be read for another reason than damage.
 */
export function inspect(connection: Sqlite): Fault[] {
  const faults: Fault[] = [];
  connection.run('BEGIN');
  try {
    for (const find of [schema, triggers, pages, references])
      collect(() => find(connection), faults);
    if (hasTables(connection))
      for (const find of [keys, rows, sequences, contents, texts])
        collect(() => find(connection), faults);
  } finally {
    if (connection.inTransaction) connection.run('ROLLBACK');
  }
  return faults;
}

/** Adds the faults that `find` yields. Damage that makes a query fail is a fault, too: the others may still work. */
function collect(find: () => Iterable<Fault>, faults: Fault[]): void {
  try {
    for (const fault of find()) faults.push(fault);
  } catch (error) {
    const failure = toStorageError(error);
    if (!(error instanceof SQLiteError && failure instanceof StorageError)) throw failure;
    if (failure.failure !== 'damaged') throw failure;
    const isKnown = faults.some(({ message }) => message === error.message);
    if (!isKnown) faults.push(structure(error.message));
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

function* texts(connection: Sqlite): Generator<Fault> {
  yield* foldFaults(connection, schemaVersion(connection));
}

function* references(connection: Sqlite): Generator<Fault> {
  const found = connection.query<{ table: string }, []>('PRAGMA foreign_key_check').all();
  for (const table of new Set(found.map((row) => row.table)))
    yield structure(`a row of ${table} refers to a missing API key`);
}

function* keys(connection: Sqlite): Generator<Fault> {
  if (hasImpossibleTimeOfKey(connection)) yield structure(IMPOSSIBLE_TIME_OF_KEY);
}

const highestId = (table: string): string =>
  `coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '${table}'), 0)`;

function* rows(connection: Sqlite): Generator<Fault> {
  const select = (sql: string): InvariantRow[] =>
    connection
      .query(sql)
      .safeIntegers(true)
      .values()
      .map((row) => row.map(toCell));
  for (const invariant of invariants(highestId, schemaVersion(connection)))
    yield* faultsOf(invariant, select(`${invariant.sql} LIMIT ${MAX_FAULTS + 1}`));
  yield* countFaults(select(WRONG_COUNTS));
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

function* contents(connection: Sqlite): Generator<Fault> {
  const messages: string[] = [];
  for (const rows of new SqliteSql(connection).stream(selectStored('events')))
    if (collectDamaged('events', rows, messages)) break;
  yield* toFaults('rows', messages);
}

const toCell = (value: unknown): InvariantRow[number] =>
  typeof value === 'bigint' ? toInt64(value) : (value as string | null);

/** Runs `work`, which opens a file. Returns a fault if the file is so damaged that it cannot be opened. */
export function withFaultOfFile<T>(work: () => T): T | { readonly faults: Fault[] } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    return { faults: [structure(error.what)] };
  }
}
