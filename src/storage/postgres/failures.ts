import postgres from 'postgres';
import { StorageError } from '../database.ts';

/** The connection is gone; whatever waited for an answer on it may or may not have happened. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Nothing came back in time: whatever else leads to the same server may be as dead. */
export class ConnectionSilent extends ConnectionLost {}

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

/** Errors of the driver and of the runtime's sockets that mean the connection is gone. */
const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_SOCKET_CLOSED',
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

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
  const code = codeOf(error);
  if (!(error instanceof postgres.PostgresError)) return LOST.has(code);
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
    if (isLost(error) || UNAVAILABLE_CLASSES.has(errorClass)) {
      return new StorageError('unavailable', `The database cannot be used: ${message}.`, options);
    }
    return error;
  }
  return isLost(error)
    ? new StorageError('unavailable', `The database cannot be reached: ${message}.`, options)
    : error;
}
