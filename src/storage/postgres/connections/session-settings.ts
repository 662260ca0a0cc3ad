/** The settings of a session. A role, a database or the server may have others. */

export type Settings = Readonly<Record<string, string>>;

/**
 * What results depend on. Without the path, a role that may create operators in another schema could put them before those
 * of PostgreSQL. All versions of PostgreSQL know these settings, and every role may set them.
 */
export const PINNED: Settings = {
  search_path: 'pg_catalog, pg_temp',
  default_transaction_isolation: 'read committed',
  array_nulls: 'on',
  bytea_output: 'hex',
  exit_on_error: 'off',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
};

/** Without these timeouts, a server that lost its client would keep locks. The other ones would end what is still wanted. */
export const timeouts = (serverTimeoutMs: number): Settings => ({
  statement_timeout: asShown(serverTimeoutMs),
  idle_in_transaction_session_timeout: asShown(serverTimeoutMs),
  lock_timeout: '0',
  idle_session_timeout: '0',
});

/** A time as the server shows it: in the largest unit that divides it. */
function asShown(ms: number): string {
  const units = Object.entries({ d: 86_400_000, h: 3_600_000, min: 60_000, s: 1_000, ms: 1 });
  const [unit, size] = units.find(([, size]) => ms > 0 && ms % size === 0) ?? ['', 1];
  return `${ms / size}${unit}`;
}

/** PostgreSQL 15 and 16 have no such setting, and refuse a session that sets it. */
export const endTransactionTimeout = (isLocal: boolean): string => `SELECT CASE
  WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
  THEN pg_catalog.set_config('transaction_timeout', '0', ${isLocal}) END`;

/** For a long transaction, also in a session that a pooler shares. */
export const LONG_TRANSACTION = [
  endTransactionTimeout(true),
  ...Object.entries({ ...timeouts(0), ...PINNED }).map(
    ([name, value]) => `SET LOCAL ${name} = ${name === 'search_path' ? value : `'${value}'`}`,
  ),
].join('; ');

/** The triggers of the counts do not fire in the role of a replica. Only a superuser may set it, so we cannot. */
const REQUIRED: Settings = { ...PINNED, session_replication_role: 'origin' };

/** Selects what makes results of the session wrong. The path has rules of its own. */
export const SELECT_WRONG_SETTINGS = `SELECT name, value, current_setting(name) AS found FROM (VALUES ${Object.entries(
  REQUIRED,
)
  .filter(([name]) => name !== 'search_path')
  .map(([name, value]) => `('${name}', '${value}')`)
  .join()}) AS required (name, value)
  WHERE current_setting(name) <> value`;
