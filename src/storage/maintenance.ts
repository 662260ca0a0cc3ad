import type { MaybePromise } from '../maybe-promise.ts';

/**
 * What an operator does with a database apart from requests. Nothing is opened or migrated before a method is
 * called, and no method creates a catalogue. All methods work while the service runs, except `restore`.
 */
export interface Maintenance {
  /**
   * Compares the stored data with everything that must hold. Changes nothing.
   * @throws StorageError if the database cannot be read or belongs to another program.
   */
  check(): MaybePromise<CheckReport>;

  /** Mends the counts of animals and the folded texts, in one transaction. @throws StorageError */
  repair(): MaybePromise<void>;

  /** @param now in milliseconds since 1970-01-01T00:00:00Z, decides which API keys are expired. @throws StorageError */
  status(now: number): MaybePromise<DatabaseStatus>;

  /** @throws StorageError */
  schema(): MaybePromise<SchemaVersion>;

  /** Checks that no other process uses the database. Accepts a missing one. @throws StorageError */
  requireUnused(): MaybePromise<void>;
}

/** PostgreSQL has its own tools for backups. */
export interface SqliteMaintenance extends Maintenance {
  readonly backups: Backups;
}

export interface CheckReport {
  readonly faults: readonly Fault[];
  /** Sentences about what is not a fault, but needs attention. */
  readonly warnings: readonly string[];
}

export interface Fault {
  /**
   * `structure`: the file or the schema. `rows`: rows that contradict each other. `counts` and `texts`: counts and folded texts,
   * which `repair` mends. `foreign`: a trigger of another program, which can be removed.
   */
  readonly kind: 'structure' | 'rows' | 'counts' | 'texts' | 'foreign';
  /** One line, without the name of the database. */
  readonly message: string;
}

export interface SchemaVersion {
  /** Undefined if there is no catalogue. */
  readonly stored: number | undefined;
  /** The version of this program. */
  readonly current: number;
}

export interface DatabaseStatus {
  readonly engine: string;
  readonly engineVersion: string;
  readonly schema: SchemaVersion;
  /** Undefined if the schema is not the current one. */
  readonly contents: CatalogueContents | undefined;
  /** In bytes, by name. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Only on SQLite: the part of the file that holds no data, in bytes. Later changes reuse it. */
  readonly freeBytes?: number;
  /** Only on SQLite: when `backup` last succeeded, in milliseconds since 1970-01-01T00:00:00Z; null: never. */
  readonly lastBackupAt?: number | null;
  /** Only on SQLite: whether damage was found, and the whole file was not checked since. */
  readonly damageFound?: boolean;
  /** Only on PostgreSQL: the connections to the database, and the maximum of the server. */
  readonly connections?: { readonly open: number; readonly max: number };
}

/** The numbers of rows. */
export interface CatalogueContents {
  readonly pets: Readonly<Record<string, number>>;
  readonly categories: number;
  readonly orders: Readonly<Record<string, number>>;
  readonly apiKeys: { readonly active: number; readonly expired: number; readonly revoked: number };
  readonly idempotencyRecords: number;
  /** Without those that wait for their position. */
  readonly events: number;
  /** Milliseconds since 1970-01-01T00:00:00Z, null if there is none. */
  readonly firstOrderAt: number | null;
  readonly lastOrderAt: number | null;
  readonly lastCallAt: number | null;
}

/** Backups of an SQLite file. */
export interface Backups {
  /**
   * Writes a complete copy of the database to a new file, even while the service runs. It contains every commit that was
   * acknowledged before the call. The file appears when it is complete, verified and on disk. Records in the database when it
   * was backed up. If that fails, it warns.
   * @throws StorageError, CopyInterrupted, an error of the file system, or FaultsFound for other faults than `foreign` and
   * `texts`.
   */
  backUp(file: string, options: BackupOptions): Promise<CopyResult>;

  /**
   * Replaces the database by a backup. Keeps the replaced files beside it under another name.
   * @throws like `backUp`, FaultsFound also for a `foreign` fault, and StorageError if a process uses the database.
   */
  restore(file: string, options: CopyOptions): Promise<RestoreResult>;
}

export interface CopyOptions {
  /** Interrupts the copy. Has no effect once the copy is being put in place. */
  readonly signal: AbortSignal;
  /** Receives the bytes written so far, and about how many there will be. */
  readonly onProgress: (bytes: number, total: number) => void;
  /** Receives sentences about what is not a fault, but needs attention. */
  readonly onWarning: (warning: string) => void;
}

export interface BackupOptions extends CopyOptions {
  /** Whether an existing file is replaced. */
  readonly replace: boolean;
  /** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}

export interface CopyResult {
  readonly bytes: number;
  /** The number of rows of each table of the schema that is not derived from others. */
  readonly rows: Readonly<Record<string, number>>;
  readonly schema: SchemaVersion;
}

export interface RestoreResult extends CopyResult {
  /** The path that the replaced database file has now, or its `-wal` if only that was there. Undefined if there was neither. */
  readonly replaced: string | undefined;
  /** How many webhook endpoints were disabled. */
  readonly disabledEndpoints: number;
}

const MAX_NAMED = 5;

/** A warning that names the objects that the schema of this program does not have, if there are some. */
export function* warnOfOthers(objects: readonly string[]): Generator<string> {
  if (objects.length === 0) return;
  const more = objects.length > MAX_NAMED ? ` and ${objects.length - MAX_NAMED} more` : '';
  const named = objects.slice(0, MAX_NAMED).join(', ');
  yield `The database also contains objects of other programs, which are not checked: ${named}${more}.`;
}

/** The copied data has faults. Nothing was put in place. */
export class FaultsFound extends Error {
  override readonly name = 'FaultsFound';

  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(({ message }) => message).join('\n'));
  }
}

/** The signal of `CopyOptions` ended a copy. */
export class CopyInterrupted extends Error {
  override readonly name = 'CopyInterrupted';
}
