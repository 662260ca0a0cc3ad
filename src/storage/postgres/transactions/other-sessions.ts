import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../clock.ts';
import { StorageError } from '../../database.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { SessionRefused } from '../failures.ts';
import { LongTransaction } from './long-transaction.ts';

/** How long to wait for sessions to end: the server notices a closed connection some milliseconds later. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 50;

/**
 * The other sessions that may be a service: those with its name, and those of roles that may add animals. A session of a
 * superuser with another name is probably that of an operator or of a monitor. All roles see these columns.
 */
const SELECT_OTHER_SESSIONS = `SELECT pid, rolname AS role, application_name AS name
  FROM pg_stat_activity JOIN pg_roles ON pg_roles.oid = usesysid
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND (
    application_name IN ('animal-store', current_setting('application_name'))
    OR NOT rolsuper AND has_table_privilege(usesysid, to_regclass('animal_store.pets'), 'INSERT')
  )
  ORDER BY pid LIMIT 3`;

interface Session {
  readonly pid: number;
  readonly role: string;
  readonly name: string;
}

/** Requires that no other session uses the catalogue. @throws StorageError */
export async function requireNoOtherSession(transaction: LongTransaction): Promise<void> {
  const startedMs = monotonicMs();
  for (;;) {
    // A transaction sees the sessions as they were when it first looked.
    await transaction.run('SELECT pg_stat_clear_snapshot()');
    const sessions = await transaction.run<Session>(SELECT_OTHER_SESSIONS);
    if (sessions.length === 0) return;
    if (monotonicMs() - startedMs > PATIENCE_MS) throw inUse(sessions);
    await sleep(PAUSE_MS);
  }
}

/**
 * The same on a connection of its own. Refuses a connection through a pooler: several clients may share a session there.
 * @param timeoutMs how long to wait for the connection.
 */
export async function requireUnused(options: ConnectionOptions, timeoutMs?: number): Promise<void> {
  // A connection for prepared statements detects a pooler.
  const direct = { ...options, prepared: true };
  try {
    await LongTransaction.during(direct, 'READ COMMITTED', requireNoOtherSession, timeoutMs);
  } catch (error) {
    if (!(error instanceof StorageError && error.cause instanceof SessionRefused)) throw error;
    throw new StorageError('refused', BEHIND_POOLER, { cause: error });
  }
}

const BEHIND_POOLER =
  'The address of PostgreSQL leads to a pooler, behind which nobody can see who uses the database: name the address of the server itself.';

function inUse(sessions: readonly Session[]): StorageError {
  const named = sessions.map(
    ({ pid, role, name }) => `${name || 'a program'} as ${role}, PID ${pid}`,
  );
  return new StorageError(
    'refused',
    `The database is in use (${named.join('; ')}): stop the service and everything else that has it open.`,
  );
}
