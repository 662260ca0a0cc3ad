import { runSteps } from '../../../steps.ts';
import { readContents } from '../../catalogue-contents.ts';
import { countByCategory, STATUSES } from '../../category-counts.ts';
import { StorageError } from '../../database.ts';
import { foldAgain, foldedTables } from '../../folded-texts.ts';
import {
  type DatabaseStatus,
  type Maintenance,
  type SchemaVersion,
  warnOfOthers,
} from '../../maintenance.ts';
import { requireKnownVersion } from '../../migrations.ts';
import type { TlsFiles } from '../connections/tls.ts';
import { currentVersion, schemaVersion } from '../schema/migrate.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import { LongTransaction, SNAPSHOT } from '../transactions/long-transaction.ts';
import { requireUnused } from '../transactions/other-sessions.ts';
import { inspect, otherObjects } from './inspect.ts';

interface MaintenanceOptions {
  readonly prepared: boolean;
  readonly tlsFiles: TlsFiles;
  /** How long to wait for a connection. Statements may take longer. */
  readonly timeoutMs: number;
}

/** Maintains the catalogue in a PostgreSQL database. */
export function maintainPostgres(
  url: string,
  { timeoutMs, ...connection }: MaintenanceOptions,
): Maintenance {
  const options = { url, ...connection, serverTimeoutMs: undefined };
  const reading = <T>(work: (transaction: LongTransaction) => Promise<T>): Promise<T> =>
    LongTransaction.during(options, SNAPSHOT, work, timeoutMs);
  return {
    check: () =>
      reading(async (transaction) => {
        const { stored, current } = await requireCatalogue(transaction);
        const warnings =
          stored === current
            ? []
            : [
                `The schema has version ${stored}: run \`animal-store migrate\` as the owner of the tables.`,
              ];
        warnings.push(...warnOfOthers(await otherObjects(transaction, stored)));
        return { faults: await inspect(transaction, stored), warnings };
      }),

    repair: () => LongTransaction.during(options, 'READ COMMITTED', repair, timeoutMs),

    status: (now) => reading((transaction) => status(transaction, now)),

    schema: () => reading(readSchema),

    requireUnused: () => requireUnused(options, timeoutMs),
  };
}

/** Refuses a database of a newer version of this program, and one from before its first release. */
async function readSchema(transaction: LongTransaction): Promise<SchemaVersion> {
  const stored = await schemaVersion((text) => transaction.run(text));
  requireKnownVersion('The database', stored ?? 0, MIGRATIONS);
  return { stored: stored || undefined, current: currentVersion() };
}

async function requireCatalogue(transaction: LongTransaction) {
  const { stored, current } = await readSchema(transaction);
  if (stored === undefined)
    throw new StorageError(
      'absent',
      'There is no catalogue in this database: name another with --database.',
    );
  return { stored, current };
}

const DIFFERENCES = STATUSES.map((status) => `sum(${status})`).join();

/**
 * Adds the differences between the animals and their counts. One statement has one snapshot: each change that it does not see
 * is missing in both. No other transaction waits.
 */
const RECOUNT = `INSERT INTO animal_store.category_counts (category_id, ${STATUSES.join()})
  SELECT category_id, ${DIFFERENCES} FROM (
    ${countByCategory('animal_store.pets')}
    UNION ALL
    SELECT category_id, ${STATUSES.map((status) => `-${status}`).join()} FROM animal_store.category_counts
  ) AS counts
  GROUP BY category_id HAVING (${DIFFERENCES}) <> (0, 0, 0, 0)`;

async function repair(transaction: LongTransaction): Promise<void> {
  const { stored } = await requireCatalogue(transaction);
  await transaction.run(RECOUNT);
  const sql = new PostgresSql(transaction.run);
  for (const table of foldedTables(stored)) await runSteps(foldAgain(sql, table));
  await transaction.run('COMMIT');
}

async function status(transaction: LongTransaction, now: number): Promise<DatabaseStatus> {
  const schema = await readSchema(transaction);
  const [server] = await transaction.run<{
    version: string;
    bytes: number;
    open: number;
    max: number;
  }>(
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
      (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS open,
      current_setting('max_connections')::integer AS max`,
  );
  if (server === undefined) throw new Error('The server returned no row.');
  const contents =
    schema.stored === schema.current
      ? await runSteps(readContents(new PostgresSql(transaction.run), now))
      : undefined;
  return {
    engine: 'PostgreSQL',
    engineVersion: server.version,
    schema,
    contents,
    sizes: { database: Number(server.bytes) },
    connections: { open: Number(server.open), max: server.max },
  };
}
