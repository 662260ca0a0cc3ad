import postgres from 'postgres';
import { StorageError } from '../database.ts';

/** The connection is gone; whatever waited for an answer on it may or may not have happened. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Nothing came back in time: whatever else leads to the same server may be as dead. */
export class ConnectionSilent extends ConnectionLost {}

/** The connection has no session of the server for itself, as prepared statements need it. */
export class SessionNotOwn extends ConnectionLost {
  /** @param reason what shows it, as words that follow "a pooler that". */
  constructor(readonly reason: string) {
    super(
      `The connection to PostgreSQL goes through a pooler that ${reason}: set DATABASE_PREPARED=off.`,
    );
  }
}

/**
 * SQLSTATE codes and classes (postgresql.org/docs/current/errcodes-appendix.html) by what can be
 * done about them. A class is its first two characters.
 */
const CONFLICTS = new Set(['40001', '40P01', '23505']);
const MADE_TWICE = new Set(['23505', '42P06', '42P07', '42710']);
const FULL = new Set(['53100']);
const REFUSED_CLASSES = new Set(['28', '3D']);
const REFUSED = new Set(['42501', '42P01', '3F000']);
const UNAVAILABLE_CLASSES = new Set(['08', '40', '53', '55', '57', '58']);
/** It only reads: a standby, or a primary that was made to. */
const READ_ONLY = '25006';
/** Ended by the server because it idled inside a transaction. */
const IDLE_IN_TRANSACTION = '25P03';
/** Ended by the server because it took too long. */
const TIMED_OUT = '57014';

/** Errors of the driver that are about a statement: mistakes of this program. */
const MISTAKES = new Set(['UNDEFINED_VALUE', 'MAX_PARAMETERS_EXCEEDED', 'NOT_TAGGED_CALL']);

/**
 * What the driver rejects with, as this engine knows it: all that has a code, and is neither the
 * server's answer nor a mistake of ours, comes from the network or from TLS.
 */
export function fromDriver(error: unknown): unknown {
  if (error instanceof postgres.PostgresError || !(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === '' || MISTAKES.has(code)) return error;
  return new ConnectionLost(error.message || code, { cause: error });
}

/** Another transaction was first: run again, this one sees what that one did. */
export const isConflict = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && CONFLICTS.has(error.code);

/**
 * Another session made the same table or schema meanwhile. `IF NOT EXISTS` does not hold then: it
 * depends on the moment whether a key, a name or a type is found twice.
 */
export const isMadeTwice = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && MADE_TWICE.has(error.code);

/** Nothing can be done on this connection, but perhaps on another. */
export function isLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (!(error instanceof postgres.PostgresError)) return false;
  const { code } = error;
  return (
    /^08|^57P/.test(code) || code === READ_ONLY || code === IDLE_IN_TRANSACTION || code === '53300' // more connections than the server has
  );
}

/** Turns a failure of the engine into one that the rest of the program knows; anything else is a bug and stays what it is. */
export function toStorageError(error: unknown): unknown {
  const options = { cause: error };
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  if (error instanceof postgres.PostgresError) {
    const { code } = error;
    const errorClass = code.slice(0, 2);
    if (FULL.has(code)) {
      return new StorageError('full', 'The disk of the database is full.', options);
    }
    if (REFUSED.has(code) || REFUSED_CLASSES.has(errorClass)) {
      return new StorageError('refused', `The database cannot be used: ${message}.`, options);
    }
    if (code === TIMED_OUT) {
      return new StorageError('unavailable', 'The database did not answer in time.', options);
    }
    if (isLost(error) || UNAVAILABLE_CLASSES.has(errorClass)) {
      return new StorageError('unavailable', `The database cannot be used: ${message}.`, options);
    }
    return error;
  }
  if (error instanceof SessionNotOwn) return new StorageError('refused', error.message, options);
  return isLost(error)
    ? new StorageError('unavailable', `The database cannot be reached: ${message}.`, options)
    : error;
}
