import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import {
  categoryCountFaults,
  countFaults,
  faultsOf,
  type InvariantRow,
  invariants,
  MAX_FAULTS,
  REAL_COUNTS,
  wrongCategoryCounts,
} from '../../invariants.ts';
import type { Fault } from '../../maintenance.ts';
import { COUNT_PETS } from '../../status-queries.ts';
import { toStorageError } from '../failures.ts';
import {
  DamagedFile,
  damagedNames,
  foreignTriggerFaults,
  hasImpossibleTimeOfKey,
  IMPOSSIBLE_TIME_OF_KEY,
  integrityFaults,
  isAboutNames,
  schemaFaults,
} from '../integrity/integrity-check.ts';
import { schemaOf } from '../schema/migrate.ts';
import { toInt64 } from '../statements/exact-query.ts';
import { nameFaults } from './names.ts';

/**
 * Everything that is wrong with a file, in one snapshot. Reads all of it. Changes nothing.
 * @throws StorageError if the file cannot be read for another reason than damage.
 */
export function inspect(connection: Sqlite): Fault[] {
  const faults: Fault[] = [];
  connection.run('BEGIN');
  try {
    for (const find of [schema, triggers, pages, references, keys, rows, names])
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

function* schema(connection: Sqlite): Generator<Fault> {
  for (const message of schemaFaults(connection)) yield structure(message);
}

function* triggers(connection: Sqlite): Generator<Fault> {
  for (const message of foreignTriggerFaults(connection)) yield { kind: 'foreign', message };
}

function* pages(connection: Sqlite): Generator<Fault> {
  const check = `integrity_check(${MAX_FAULTS})`;
  for (const message of integrityFaults(connection, check))
    yield isAboutNames(message)
      ? { kind: 'names', message: damagedNames(message) }
      : structure(message);
}

function* names(connection: Sqlite): Generator<Fault> {
  if (schemaOf(connection).has('table pet_names')) yield* nameFaults(connection);
}

function* references(connection: Sqlite): Generator<Fault> {
  const found = connection.query<{ table: string }, []>('PRAGMA foreign_key_check').all();
  for (const table of new Set(found.map((row) => row.table)))
    yield structure(`a row of ${table} refers to a missing API key`);
}

function* keys(connection: Sqlite): Generator<Fault> {
  if (schemaOf(connection).has('table api_keys') && hasImpossibleTimeOfKey(connection))
    yield structure(IMPOSSIBLE_TIME_OF_KEY);
}

const highestId = (table: string): string =>
  `coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '${table}'), 0)`;

function* rows(connection: Sqlite): Generator<Fault> {
  const tables = schemaOf(connection);
  const select = (sql: string): InvariantRow[] =>
    connection
      .query(sql)
      .safeIntegers(true)
      .values()
      .map((row) => row.map(toCell));
  const columns = new Set(
    connection
      .query<{ name: string }, []>(
        `SELECT tables.name || '.' || info.name AS name
        FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS info WHERE tables.type = 'table'`,
      )
      .all()
      .map(({ name }) => name),
  );
  const exists = (name: string) => columns.has(name) || tables.has(`table ${name}`);
  for (const invariant of invariants(highestId)) {
    if (!invariant.tables.every(exists)) continue;
    yield* faultsOf(invariant, select(`${invariant.sql} LIMIT ${MAX_FAULTS + 1}`));
  }
  if (tables.has('table pet_counts')) yield* countFaults(select(REAL_COUNTS), select(COUNT_PETS));
  if (tables.has('table category_counts'))
    yield* categoryCountFaults(select(wrongCategoryCounts('SELECT * FROM category_counts')));
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
