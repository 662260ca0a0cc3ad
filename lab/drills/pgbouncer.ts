import { spawn } from 'node:child_process';
import { GUARD } from '../../test/support/guard.ts';
import { freePort } from '../../test/support/postgres-home.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { until } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

/** The path of the program, null if it is not installed. Debian's package has it in /usr/sbin. */
export const PGBOUNCER = Bun.which('pgbouncer', { PATH: `${process.env['PATH']}:/usr/sbin` });

interface PgbouncerOptions {
  readonly mode: 'transaction' | 'session' | 'statement';
  /** Unknown startup parameters. PgBouncer refuses them by default. */
  readonly parameters: 'refused' | 'ignored';
  /** The number of server sessions that the clients share. */
  readonly sessions: number;
}

const STARTUP_PARAMETERS = [
  'search_path',
  'default_transaction_isolation',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'tcp_keepalives_idle',
  'tcp_keepalives_interval',
  'tcp_keepalives_count',
];

/** Starts PgBouncer in front of a server without passwords. */
export async function startPgbouncer(
  server: PostgresServer,
  { mode, parameters, sessions }: PgbouncerOptions,
) {
  if (PGBOUNCER === null) throw new Error('PgBouncer is not installed.');
  const folder = temporaryFolder();
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: sessions,
    max_client_conn: 500,
    ...(parameters === 'ignored' ? { ignore_startup_parameters: STARTUP_PARAMETERS.join() } : {}),
    // PgBouncer refuses to run as root.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const databases = `[databases]\n* = host=127.0.0.1 port=${server.port} user=postgres\n`;
  const file = folder.file('pgbouncer.ini');
  await Bun.write(file, `${databases}[pgbouncer]\n${lines.join('')}`);
  const child = spawn('sh', ['-c', GUARD, 'sh', PGBOUNCER, file], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let log = '';
  child.stderr.on('data', (chunk) => {
    log = (log + chunk).slice(-8_000);
  });
  await until(() => log.includes('process up'));
  return {
    port,
    async stop() {
      child.stdin.end();
      await ended;
      folder.remove();
    },
  };
}
