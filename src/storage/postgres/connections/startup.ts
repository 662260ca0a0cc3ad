import postgres, { type RowList } from 'postgres';
import type { PostgresAddress } from '../../postgres-url.ts';
import type { ConnectionOptions } from './options.ts';
import { endTransactionTimeout, PINNED, type Settings, timeouts } from './session-settings.ts';

/** The settings that a session must have. */
const requiredSettings = (serverTimeoutMs: number): Settings => ({
  ...PINNED,
  ...timeouts(serverTimeoutMs),
});

/** In seconds: the server detects a dead client after two minutes. Most systems default to two hours. */
const KEEPALIVES: Settings = {
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
};

/** The parameters of the startup packet. A pooler may accept only `application_name`. */
export const startupParameters = (
  { prepared, serverTimeoutMs = 0 }: ConnectionOptions,
  { applicationName = 'animal-store', sessionOptions }: Partial<PostgresAddress> = {},
): Settings => ({
  application_name: applicationName,
  // The server applies the parameters below later, so that these options cannot replace them.
  ...(sessionOptions === undefined ? {} : { options: sessionOptions }),
  ...(prepared ? { ...requiredSettings(serverTimeoutMs), ...KEEPALIVES } : {}),
});

/** Ends the timeout that no parameter can end. Then reads the session's required settings and the process ID of its backend. */
export const BEGIN_SESSION = `${endTransactionTimeout(false)};
  SELECT name, current_setting(name) AS setting, pg_backend_pid() AS pid
  FROM (VALUES ('${Object.keys(requiredSettings(0)).join("'), ('")}')) AS required (name)`;

/** The results of `BEGIN_SESSION`. */
export type BegunSession = [readonly object[], RowList<SessionSetting[]>];

interface SessionSetting {
  readonly name: string;
  readonly setting: string;
  readonly pid: number;
}

/**
 * Detects a pooler, behind which a connection does not have its own session with the required settings.
 * Returns a phrase that completes "a pooler that …"; undefined if there is no such pooler.
 *
 * The server sends each client the process ID of its backend (BackendKeyData), for cancel requests. A
 * pooler that shares sessions sends an ID of its own because the next transaction may use another
 * session. It differs from pg_backend_pid(), already on the first statement.
 *
 * A pooler that does not share sessions may drop startup parameters: the settings show that. Keepalives
 * are not compared because the values that a server reports depend on its operating system.
 */
export function detectPooler(
  options: ConnectionOptions,
  rows: readonly SessionSetting[],
  backendPid: number,
): string | undefined {
  if (rows.some(({ pid }) => pid !== backendPid)) return 'shares the sessions of the server';
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const [dropped] = Object.entries(requiredSettings(options.serverTimeoutMs ?? 0)).find(
    ([name, value]) => settings.get(name) !== value,
  ) ?? [undefined];
  return dropped && `does not pass on ${dropped}`;
}

/** The same for a failed startup: an error whose message names one of our startup parameters. */
export function detectPoolerInError(
  options: ConnectionOptions,
  error: unknown,
): string | undefined {
  if (!(error instanceof postgres.PostgresError)) return undefined;
  const refused = Object.keys(startupParameters(options)).find((name) =>
    error.message.includes(name),
  );
  return refused && `does not accept ${refused}`;
}
