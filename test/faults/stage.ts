import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { commandOf, startCommand, withService } from '../support/process.ts';

/** How many connections the service may have open to a server at once. */
export const CONNECTIONS = 10;

/** By then every request has an answer. */
export const REQUEST_TIMEOUT_MS = 5_000;

/** By then every read and every write of the service has come to an end. */
const DATABASE_TIMEOUT_MS = 2_000;

/** The role that the service connects as: none that may do everything. */
export const ROLE = 'animal_store';

/** A service in a process of its own, a PostgreSQL that keeps what it acknowledges, and what stands between them. */
export interface Stage {
  /** The server that was there at the beginning. */
  readonly server: PostgresServer;
  /** The service knows the database by this address alone. */
  readonly forwarder: Forwarder;
  /** The name of the database. */
  readonly database: string;
  /** Of the service. */
  readonly origin: string;
  readonly key: string;
}

const KEEPS_EVERYTHING = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** Sets everything up for one round, and removes it afterwards whatever happens. */
export async function onStage<T>(
  settings: Readonly<Record<string, string>>,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const server = await startPostgres({ settings: { ...KEEPS_EVERYTHING, ...settings } });
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
