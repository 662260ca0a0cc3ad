import { shareRuns } from '../../maybe-promise.ts';
import type { OnBatch } from '../../observe/measurements.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Database } from '../database.ts';
import { withoutPassword } from '../database-url.ts';
import type { OnMigrated } from '../migrations.ts';
import { newestTimeIn } from '../newest-time.ts';
import { parsePostgresUrl } from '../postgres-url.ts';
import { Recording } from '../recording.ts';
import { storesOn } from '../stores/stores.ts';
import { healthCheck } from './connections/check.ts';
import {
  type CredentialSource,
  fixedCredentials,
  RenewableCredentials,
} from './connections/credentials.ts';
import { deadlineIn, serverTimeoutMs } from './connections/deadline.ts';
import type { Activity, ConnectionOptions } from './connections/options.ts';
import { ExclusivePool, SharedPool } from './connections/pools.ts';
import { sessionReporter } from './connections/session-reporter.ts';
import { Standby } from './connections/standby.ts';
import type { TlsFiles } from './connections/tls.ts';
import { toStorageError } from './failures.ts';
import { migrate } from './schema/migrate.ts';
import { requireServiceRights } from './schema/service-rights.ts';
import { PostgresSql } from './statements/postgres-sql.ts';
import { BatchedPetAdder } from './stores/batched-pet-adder.ts';
import { BatchedPetReader } from './stores/batched-pet-reader.ts';
import { compactCounts } from './stores/compact-counts.ts';
import { KeyVersion } from './stores/key-version.ts';
import { appendToOutbox, hasUnsequenced, sequence } from './stores/outbox.ts';
import { SequencedEvents } from './stores/sequenced-events.ts';
import { LongTransaction } from './transactions/long-transaction.ts';
import { ReadRouter } from './transactions/read-router.ts';
import { type Run, Transactions } from './transactions/transactions.ts';
import { postgresTransfer } from './transfer/transfer.ts';

export interface PostgresOptions {
  /** Returns the URL as it is now, after the server refused its user or password. Undefined: the URL never changes. */
  readonly rereadUrl?: (() => string) | undefined;
  /** Files for TLS, unless a URL names others. */
  readonly tlsFiles?: TlsFiles;
  /** URLs of standbys to read from. One without a password, for the same user, takes the password of the primary. */
  readonly standbyUrls?: readonly string[] | undefined;
  /** The maximum number of connections to each server, at least 2. */
  readonly connections?: number;
  readonly timeoutMs?: number;
  /** Whether to use prepared statements. False for a pooler in transaction mode. */
  readonly prepared?: boolean;
  /** False refuses a database without a catalogue. */
  readonly mayCreate?: boolean;
  /** If set, the role must have all rights of a service. Receives whether the connection uses TLS. */
  readonly checkService?: ((isEncrypted: boolean) => void) | undefined;
  /** How long a key that another instance revoked may stay valid here. */
  readonly apiKeyCacheTtlMs?: number;
  /** Receives the events of connections, credentials and standbys. */
  readonly observe?: Observe;
  /** Receives each batch of additions after COMMIT. */
  readonly onBatch?: OnBatch | undefined;
  readonly onMigrated?: OnMigrated | undefined;
}

/**
 * Opens the catalogue in a PostgreSQL database. Creates its tables if missing.
 * @throws StorageError if the server cannot be reached, or the database cannot be used.
 */
export async function openPostgres(
  url: string,
  {
    rereadUrl,
    tlsFiles = {},
    standbyUrls = [],
    connections = 10,
    timeoutMs = 5_000,
    prepared = true,
    mayCreate = true,
    checkService,
    apiKeyCacheTtlMs = 5_000,
    observe = () => {},
    onBatch,
    onMigrated,
  }: PostgresOptions = {},
): Promise<Database> {
  const credentials =
    rereadUrl === undefined
      ? fixedCredentials(parsePostgresUrl(url))
      : new RenewableCredentials(url, rereadUrl, observe);
  const optionsFor = (databaseUrl: string): ConnectionOptions => ({
    url: databaseUrl,
    tlsFiles,
    credentials: databaseUrl === url ? credentials : credentialsOfStandby(databaseUrl, credentials),
    prepared,
    serverTimeoutMs: serverTimeoutMs(timeoutMs),
  });
  const reporterFor = sessionReporter(observe);
  const activity: Activity = { lastResultMs: 0 };
  const poolOptionsFor = (databaseUrl: string): ConnectionOptions => ({
    ...optionsFor(databaseUrl),
    // A standby may respond while the primary is lost.
    activity: databaseUrl === url ? activity : undefined,
    onSessionRefused: reporterFor(databaseUrl),
  });
  try {
    await migrate(optionsFor(url), { mayCreate, onMigrated });
    if (checkService) checkService(await requireServiceRights(optionsFor(url)));
  } catch (error) {
    throw toStorageError(error);
  }
  const writePool = new ExclusivePool(poolOptionsFor(url), Math.ceil(connections / 2));
  const readPool = new SharedPool(poolOptionsFor(url), Math.floor(connections / 2));
  const standbys = standbyUrls.map((standbyUrl) => {
    const pool = new SharedPool(poolOptionsFor(standbyUrl), connections);
    return new Standby(pool, withoutPassword(standbyUrl), observe);
  });
  const router = new ReadRouter(readPool, standbys, timeoutMs);
  const reading = new PostgresSql(router.run);
  const primary = new ReadRouter(readPool, [], timeoutMs);
  const transactions = new Transactions(writePool, timeoutMs);
  const keyVersion = new KeyVersion(apiKeyCacheTtlMs);
  const petAdder = new BatchedPetAdder(transactions, onBatch);

  return {
    read: {
      ...storesOn(reading),
      pets: new BatchedPetReader(reading),
      events: new SequencedEvents(router.run, primary.run, transactions),
    },

    addPet: (cause, pet) => petAdder.create({ resource: pet, cause }),

    async write(cause, work, { isRepeatable = false, isLong = false } = {}) {
      let invalidatesKeys = false;
      const onKeyInvalidated = () => {
        invalidatesKeys = true;
      };
      const workWith = async (run: Run) => {
        const recording = new Recording(cause);
        const stores = storesOn(new PostgresSql(run, recording), onKeyInvalidated);
        const result = await work(stores);
        await appendToOutbox(run, recording.events);
        return result;
      };
      try {
        return isLong
          ? await LongTransaction.write(optionsFor(url), workWith)
          : await transactions.run(workWith, isRepeatable);
      } finally {
        // Also after a failure: the transaction may have been committed.
        if (invalidatesKeys) keyVersion.change();
      }
    },

    transfer: postgresTransfer(optionsFor(url)),

    inSnapshot: (work) => work(),
    readsSynchronously: false,

    // Commits of other instances are unknown without a query.
    version: () => keyVersion.current(),
    versionsKeysOnly: true,

    changesOf: () => 0,

    checkHealth: healthCheck(readPool, timeoutMs, activity),

    compactInventory: shareRuns(async () => {
      while (await transactions.run(compactCounts, true));
    }),

    async sequenceEvents() {
      if (!(await hasUnsequenced(primary.run))) return false;
      return transactions.run((run) => sequence(run, 'FOR UPDATE SKIP LOCKED'), true);
    },

    newestTime: () => newestTimeIn(reading),

    lastBackupAt: () => undefined,

    measure: () => ({
      pools: [
        writePool.measure('write'),
        readPool.measure('read'),
        ...standbys.map(({ pool }, index) => pool.measure(`standby ${index + 1}`)),
      ],
    }),

    async close() {
      await petAdder.drain();
      const deadline = deadlineIn(timeoutMs);
      await writePool.end(deadline);
      const readPools = [readPool, ...standbys.map(({ pool }) => pool)];
      await Promise.all(readPools.map((pool) => pool.end(deadline)));
    },
  };
}

/** A standby has the roles and passwords of its primary. */
function credentialsOfStandby(url: string, primary: CredentialSource): CredentialSource {
  const own = parsePostgresUrl(url);
  const isShared = own.password === undefined && own.user === primary.current.user;
  return isShared ? primary : fixedCredentials(own);
}
