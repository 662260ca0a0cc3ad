import { type Forwarder, startForwarder } from '../../test/support/forwarder.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { commandOf, startCommand, withService } from '../../test/support/process.ts';

/** The maximum number of connections of the service. */
export const CONNECTIONS = 10;

/** The service's request timeout. */
export const REQUEST_TIMEOUT_MS = 5_000;

const TIMEOUTS = { request: REQUEST_TIMEOUT_MS / 1000, database: 2 };

/** The role of the service, which is not a superuser. */
export const ROLE = 'animal_store';

/** What a round needs of its server and its service. */
export interface ServerNeeds {
  /** Required settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether the server is afterwards as it was, so that rounds may share it. It then has no settings of its own. */
  readonly keepsServer?: boolean;
  /** The timeouts of the service in seconds. */
  readonly timeouts?: { readonly request: number; readonly database: number };
}

/** A service in its own process, a durable PostgreSQL, and a forwarder between them. */
export interface Environment {
  /** The initial primary. */
  readonly server: PostgresServer;
  /** The service connects to the database through it. */
  readonly forwarder: Forwarder;
  /** The name of the database. */
  readonly database: string;
  /** The origin of the service. */
  readonly origin: string;
  readonly key: string;
}

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

async function startServer(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const server = await startPostgres({ settings: { ...DURABLE, ...settings } });
  await server.sql.unsafe(`CREATE ROLE ${ROLE} LOGIN`);
  return server;
}

let shared: Promise<PostgresServer> | undefined;

/**
 * Runs `work` with a new server, or with the one that rounds share if the fault leaves it as it was. A failure of `work`
 * may leave the fault, so the next round then gets another server.
 */
async function withServer<T>(
  { settings, keepsServer = false }: ServerNeeds,
  work: (server: PostgresServer) => Promise<T>,
): Promise<T> {
  if (keepsServer) shared ??= startServer({});
  const server = await (keepsServer && shared ? shared : startServer(settings ?? {}));
  let isUsable = false;
  try {
    const result = await work(server);
    isUsable = keepsServer;
    return result;
  } finally {
    if (!isUsable) {
      if (keepsServer) shared = undefined;
      await server.remove();
    }
  }
}

/** Creates the environment for one round, and removes it afterwards. */
export const withEnvironment = <T>(
  fault: ServerNeeds,
  work: (environment: Environment) => Promise<T>,
): Promise<T> => withServer(fault, (server) => withServiceOn(server, fault, work));

async function withServiceOn<T>(
  server: PostgresServer,
  { timeouts = TIMEOUTS }: ServerNeeds,
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const flags = [
    ['--port', '0'],
    ['--database-connections', `${CONNECTIONS}`],
    ['--database-timeout', `${timeouts.database * 1000}ms`],
    ['--request-timeout', `${timeouts.request}s`],
    ['--log-level', 'error'],
  ];
  const forwarder = await startForwarder(server);
  try {
    const database = await server.createDatabase();
    await server.sql.unsafe(`GRANT CREATE ON DATABASE ${database} TO ${ROLE}`);
    const url = server.url(database, { port: forwarder.port, user: ROLE });
    const service = await startCommand(commandOf('serve', '--database', url, ...flags.flat()));
    return await withService(service, ({ origin, firstKey: key = '' }) =>
      work({ server, forwarder, database, origin, key }),
    );
  } finally {
    await forwarder.close();
  }
}
