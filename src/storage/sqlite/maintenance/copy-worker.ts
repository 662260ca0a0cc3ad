/** A thread that copies a catalogue and checks the copy: SQLite blocks its thread for seconds in both. */
import { Database as Sqlite } from 'bun:sqlite';
import { systemFailureOf } from '../../../observe/exception.ts';
import { StorageError, type StorageFailure } from '../../database.ts';
import { type CopyResult, type Fault, warnOfOthers } from '../../maintenance.ts';
import { TABLES } from '../../tables.ts';
import { toStorageError, translateErrors } from '../failures.ts';
import { otherObjects } from '../integrity/integrity-check.ts';
import { expectedSchemaOf, readSchema } from '../schema/migrate.ts';
import { inspect, withFaultOfFile } from './inspect.ts';
import { openUnchanged } from './open-unchanged.ts';

declare const self: Worker;

export interface CopyTask {
  readonly source: string;
  /** An empty file. */
  readonly target: string;
  /** Whether triggers of another program are warnings instead of faults. Wrong folded texts always are: rows are complete without them. */
  readonly acceptsForeign: boolean;
}

export type CopyOutcome =
  | { readonly result: Omit<CopyResult, 'bytes'>; readonly warnings: readonly string[] }
  | { readonly faults: readonly Fault[] }
  | { readonly failure: StorageFailure; readonly message: string };

self.onmessage = ({ data }: MessageEvent<CopyTask>) => self.postMessage(copy(data));

function copy({ source, target, acceptsForeign }: CopyTask): CopyOutcome {
  try {
    return withFaultOfFile(() => {
      const faults = vacuumInto(source, target);
      return faults.length > 0 ? { faults } : verify(target, acceptsForeign);
    });
  } catch (error) {
    if (error instanceof StorageError) return { failure: error.failure, message: error.message };
    const message = systemFailureOf(error);
    if (message === undefined) throw error;
    return { failure: 'unavailable', message };
  }
}

function verify(path: string, acceptsForeign: boolean): CopyOutcome {
  const connection = translateErrors(() => new Sqlite(path, { strict: true, readonly: true }));
  try {
    const {
      foreign = [],
      texts = [],
      faults = [],
    } = Object.groupBy(inspect(connection), ({ kind }) =>
      kind === 'texts' || (acceptsForeign && kind === 'foreign') ? kind : 'faults',
    );
    if (faults.length > 0) return { faults };
    return translateErrors(() => ({
      result: describe(connection),
      warnings: [
        ...foreign.map(({ message }) => `In the copy, ${message} before you restore it.`),
        ...texts.map(
          ({ message }) =>
            `In the copy, ${message}: run \`animal-store check --repair\` after a restore.`,
        ),
        ...warnOfOthers(otherObjects(connection)),
      ],
    }));
  } finally {
    connection.close(true);
  }
}

/** Copies one snapshot. Returns the faults of the source if it is so damaged that SQLite cannot copy it. */
function vacuumInto(source: string, target: string): Fault[] {
  const connection = openUnchanged(source);
  try {
    if (readSchema(connection).stored === undefined)
      throw new StorageError('absent', `There is no catalogue in ${source}.`);
    connection.query('VACUUM INTO ?').run(target);
    return [];
  } catch (error) {
    const failure = toStorageError(error);
    if (!(failure instanceof StorageError && failure.failure === 'damaged')) throw failure;
    const faults = inspect(connection);
    if (faults.length === 0) throw failure;
    return faults;
  } finally {
    connection.close(true);
  }
}

function describe(connection: Sqlite): Omit<CopyResult, 'bytes'> {
  const expected = expectedSchemaOf(connection);
  const tables = TABLES.map(({ name }) => name).filter((name) => expected.has(`table ${name}`));
  const count = (name: string): number =>
    connection.query<{ count: number }, []>(`SELECT count(*) AS count FROM "${name}"`).get()
      ?.count ?? 0;
  return {
    rows: Object.fromEntries(tables.map((name) => [name, count(name)])),
    schema: readSchema(connection),
  };
}
