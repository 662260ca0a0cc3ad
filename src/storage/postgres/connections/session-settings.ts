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
  // Strings because the driver omits the number 0.
  statement_timeout: String(serverTimeoutMs),
  idle_in_transaction_session_timeout: String(serverTimeoutMs),
  lock_timeout: '0',
  idle_session_timeout: '0',
});

/** PostgreSQL 15 and 16 have no such setting, and refuse a session that sets it. */
const endTransactionTimeout = (isLocal: boolean): string => `SELECT CASE
  WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
  THEN pg_catalog.set_config('transaction_timeout', '0', ${isLocal}) END`;

/** For a session of our own. */
export const NO_TRANSACTION_TIMEOUT = endTransactionTimeout(false);

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

export interface WrongSetting {
  readonly name: string;
  readonly value: string;
  readonly found: string;
}

export const describeWrongSetting = ({ name, value, found }: WrongSetting): string =>
  `The sessions of this role have ${name} = ${found}, with which the service would not work correctly: ` +
  `set ${name} to ${value} for the role and the database (ALTER ROLE, ALTER DATABASE).`;
