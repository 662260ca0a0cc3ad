import postgres from 'postgres';
import { StorageError } from '../database.ts';

/** The connection is lost. Its pending statements may have been executed or not. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** No result by the deadline. Other connections to the same server may be dead, too. */
export class ConnectionTimedOut extends ConnectionLost {}

/** The connection does not have its own session of the server, which prepared statements require. */
export class SessionRefused extends ConnectionLost {
  /** @param reason completes "a pooler that …". */
  constructor(readonly reason: string) {
    super(
      `The connection to PostgreSQL goes through a pooler that ${reason}: set DATABASE_PREPARED=off.`,
    );
  }
}

/**
 * SQLSTATE codes and classes (postgresql.org/docs/current/errcodes-appendix.html) by the failure
 * that they mean. A class is the first two characters of a code.
 */
const CONFLICTS = new Set(['40001', '40P01', '23505']);
const DUPLICATES = new Set(['23505', '42P06', '42P07', '42710']);
/** disk_full, and sequence_generator_limit_exceeded. */
const FULL: Readonly<Record<string, (message: string) => string>> = {
  '53100': () => 'The disk of the database is full.',
  '2200H': (message) => `The ids of a table are used up: ${message}.`,
};
const REFUSED_CLASSES = new Set(['28', '3D']);
/** insufficient_privilege. */
const RIGHT_MISSING = '42501';
const REFUSED = new Set([RIGHT_MISSING, '42P01', '3F000']);
const UNAVAILABLE_CLASSES = new Set(['08', '40', '53', '55', '57', '58']);
/** The transaction is read-only: on a standby, or because of default_transaction_read_only. */
const READ_ONLY = '25006';
/** idle_in_transaction_session_timeout. */
const IDLE_IN_TRANSACTION = '25P03';
const TOO_MANY_CONNECTIONS = '53300';
/** query_canceled, here by statement_timeout. */
const QUERY_CANCELED = '57014';

/** Errors of the driver about a statement: bugs of this program. */
const BUGS = new Set(['UNDEFINED_VALUE', 'MAX_PARAMETERS_EXCEEDED', 'NOT_TAGGED_CALL']);

/**
 * Converts an error of the driver. An error with a code comes from the server, from a bug of ours, or from the network or
 * TLS. The last becomes ConnectionLost.
 */
export function fromDriver(error: unknown): unknown {
  if (error instanceof postgres.PostgresError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === '' || BUGS.has(code)) return error;
  return new ConnectionLost(error.message || code, { cause: error });
}

/** A conflict with another transaction. A retry sees its changes. */
export const isConflict = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && CONFLICTS.has(error.code);

/**
 * Another session created the same table or schema simultaneously. `IF NOT EXISTS` does not prevent
 * that: the duplicate is a key, a name or a type, depending on the timing.
 */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && DUPLICATES.has(error.code);

/** Another transaction holds a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '55P03';

/** A statement does not fit the objects of the database: class 42 without the lack of a right. */
export const isInvalidStatement = (error: unknown): error is postgres.PostgresError =>
  error instanceof postgres.PostgresError && /^42(?!501)/.test(error.code);

/** The role may not do this. @param error as `toStorageError` returns it. */
export const isRightMissing = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.cause instanceof postgres.PostgresError &&
  error.cause.code === RIGHT_MISSING;

/** The connection is unusable. Another one may work. */
export function isLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof postgres.PostgresError)) return false;
  const { code } = error;
  return (
    /^08|^57P/.test(code) || [READ_ONLY, IDLE_IN_TRANSACTION, TOO_MANY_CONNECTIONS].includes(code)
  );
}

/** An attempt that begins just before the deadline times out: an earlier error of the server says more. */
export const reasonOf = (error: unknown, prior: unknown): unknown =>
  error instanceof ConnectionTimedOut && prior instanceof postgres.PostgresError ? prior : error;

/** PgBouncer says so as it closes a connection that begins a transaction. */
const STATEMENT_POOLING = 'statement pooling mode';

const NO_TRANSACTIONS =
  'The connection to PostgreSQL goes through a pooler that shares sessions between statements, so there are no transactions: ' +
  'set its pool_mode to transaction or session.';

/** Converts an error of the server or connection to a StorageError. Other errors are bugs and are returned unchanged. */
export function toStorageError(error: unknown): unknown {
  const options = { cause: error };
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  if (message.includes(STATEMENT_POOLING))
    return new StorageError('refused', NO_TRANSACTIONS, options);
  if (error instanceof postgres.PostgresError) {
    const { code } = error;
    const errorClass = code.slice(0, 2);
    const describeFull = FULL[code];
    if (describeFull) return new StorageError('full', describeFull(message), options);
    if (REFUSED.has(code) || REFUSED_CLASSES.has(errorClass))
      return new StorageError('refused', `The database cannot be used: ${message}.`, options);
    if (code === QUERY_CANCELED)
      return new StorageError('unavailable', 'The database did not respond in time.', options);
    if (isLost(error) || UNAVAILABLE_CLASSES.has(errorClass))
      return new StorageError('unavailable', `The database cannot be used: ${message}.`, options);
    return error;
  }
  if (error instanceof SessionRefused) return new StorageError('refused', error.message, options);
  return isLost(error)
    ? new StorageError('unavailable', `The database cannot be reached: ${message}.`, options)
    : error;
}
