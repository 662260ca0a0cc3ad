import postgres from 'postgres';
import type { ConnectionOptions } from './options.ts';

type Parameters = Readonly<Record<string, string>>;

/** What must hold for each statement: without it a server that lost sight of its client keeps the locks of a transaction. */
const guarantees = (serverTimeoutMs: number): Parameters => ({
  default_transaction_isolation: 'read committed',
  // As text: the driver leaves out a number that is 0.
  statement_timeout: String(serverTimeoutMs),
  idle_in_transaction_session_timeout: String(serverTimeoutMs),
});

/** In seconds: a session whose client fell silent ends after two minutes, where most systems would keep it for two hours. */
const LOOKS_AFTER_CLIENTS: Parameters = {
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
};

/** What a connection asks the server for when it starts. A pooler may know none of it but the name. */
export const startupParameters = ({
  prepared,
  serverTimeoutMs = 0,
}: ConnectionOptions): Parameters => ({
  application_name: 'animal-store',
  ...(prepared ? { ...guarantees(serverTimeoutMs), ...LOOKS_AFTER_CLIENTS } : {}),
});

/** Shows what a session got of what it asked for, and which process of the server it is. */
export const LOOK_AT_SESSION = `SELECT name, setting, pg_backend_pid() AS pid FROM pg_settings
  WHERE name IN ('${Object.keys(guarantees(0)).join("', '")}')`;

export interface SessionSetting {
  readonly name: string;
  readonly setting: string;
  readonly pid: number;
}

/**
 * What shows that a connection does not have a session of the server for itself, as words that
 * follow "a pooler that"; undefined when it has one.
 *
 * A server tells each client the id of the process that serves it, as the key to cancel statements
 * with. A pooler that shares sessions cannot hand on the key of any of them, since the next
 * transaction has another session: it makes up its own, which is not the id that the process
 * itself tells. This shows at once, whereas two statements may well get the same session twice.
 *
 * The settings show what a pooler does that keeps sessions apart but drops what it does not know.
 * The keepalives are not compared: what a server shows of them depends on its operating system.
 */
export function whyNotOwn(
  asked: ConnectionOptions,
  shown: readonly SessionSetting[],
  announcedPid: number,
): string | undefined {
  if (shown.some(({ pid }) => pid !== announcedPid)) return 'shares the sessions of the server';
  const settings = new Map(shown.map(({ name, setting }) => [name, setting]));
  const [lost] = Object.entries(guarantees(asked.serverTimeoutMs ?? 0)).find(
    ([name, value]) => settings.get(name) !== value,
  ) ?? [undefined];
  return lost && `does not hand on ${lost}`;
}

/** The same for an error in place of a session: one that speaks of a parameter which the connection asked for. */
export function whyRefused(asked: ConnectionOptions, error: unknown): string | undefined {
  if (!(error instanceof postgres.PostgresError)) return undefined;
  const refused = Object.keys(startupParameters(asked)).find((name) =>
    error.message.includes(name),
  );
  return refused && `does not take ${refused}`;
}
