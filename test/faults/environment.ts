import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { commandOf, startCommand, withService } from '../support/process.ts';

/** The maximum number of connections of the service. */
export const CONNECTIONS = 10;

/** The service's request timeout. */
export const REQUEST_TIMEOUT_MS = 5_000;

/** The service's timeout for reads and writes. */
const DATABASE_TIMEOUT_MS = 2_000;

/** The role of the service, which is not a superuser. */
export const ROLE = 'animal_store';

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

/** Creates the environment for one round, and removes it afterwards. */
export async function withEnvironment<T>(
  settings: Readonly<Record<string, string>>,
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const server = await startPostgres({ settings: { ...DURABLE, ...settings } });
  const forwarder = await startForwarder(server);
  try {
    const database = await server.createDatabase();
    await server.sql.unsafe(`CREATE ROLE ${ROLE} LOGIN`);
    await server.sql.unsafe(`GRANT CREATE ON DATABASE ${database} TO ${ROLE}`);
    const url = server.url(database, { port: forwarder.port, user: ROLE });
    const service = await startCommand(commandOf('serve', '--database', url, ...FLAGS));
    return await withService(service, ({ origin, firstKey: key = '' }) =>
      work({ server, forwarder, database, origin, key }),
    );
  } finally {
    await forwarder.close();
    await server.remove();
  }
}

const FLAGS = [
  ['--port', '0'],
  ['--database-connections', String(CONNECTIONS)],
  ['--database-timeout', `${DATABASE_TIMEOUT_MS}ms`],
  ['--request-timeout', `${REQUEST_TIMEOUT_MS}ms`],
  ['--log-level', 'error'],
].flat();
