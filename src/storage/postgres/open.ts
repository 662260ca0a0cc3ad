import type { Observe } from '../../observe/observation.ts';
import type { Database, Stores } from '../database.ts';
import { deadlineIn, serverTimeoutMs } from './connections/deadline.ts';
import type { ConnectionOptions } from './connections/options.ts';
import { ExclusivePool, SharedPool } from './connections/pools.ts';
import { sessionReports } from './connections/session-reports.ts';
import { Standby } from './connections/standby.ts';
import { ConnectionLost, toStorageError } from './failures.ts';
import { migrate } from './schema/migrate.ts';
import { PostgresApiKeyStore } from './stores/api-key-store.ts';
import { PostgresCategoryStore } from './stores/category-store.ts';
import { GroupedPetAdder } from './stores/grouped-pet-adder.ts';
import { GroupedPetReader } from './stores/grouped-pet-reader.ts';
import { PostgresIdempotencyRecordStore } from './stores/idempotency-record-store.ts';
import { KeyCache } from './stores/key-cache.ts';
import { PostgresOrderStore } from './stores/order-store.ts';
import { PostgresPetStore } from './stores/pet-store.ts';
import { PostgresUsageStore } from './stores/usage-store.ts';
import { Reading } from './transactions/reading.ts';
import { type Locking, type Run, Transactions } from './transactions/transactions.ts';
import { PostgresTransfer } from './transfer/transfer.ts';

export interface PostgresOptions {
  /** Addresses of standbys, to read from. */
  readonly replicaUrls: readonly string[];
  /** How many connections to each server at most, two at least. */
  readonly connections: number;
  /** After how long a read or a write without an answer is given up. */
  readonly timeoutMs: number;
  /** Off for a pooler that gives every transaction another connection. */
  readonly prepared: boolean;
  /** Off refuses a database that holds no catalogue yet. */
  readonly mayCreate: boolean;
  /** How long a key that another instance revoked may still hold. */
  readonly keysKnownForMs: number;
  /** Hears of connections that cannot be relied on. */
  readonly observe: Observe;
}

const DEFAULTS: PostgresOptions = {
  replicaUrls: [],
  connections: 10,
  timeoutMs: 5_000,
  prepared: true,
  mayCreate: true,
  keysKnownForMs: 5_000,
  observe: () => {},
};

/**
 * Opens the catalogue in a PostgreSQL database, and makes its tables where there are none.
 * @throws StorageError when the server cannot be reached, or the database cannot be used.
 */
export async function openPostgres(
  url: string,
  options: Partial<PostgresOptions> = {},
): Promise<Database> {
  const { replicaUrls, connections, timeoutMs, prepared, mayCreate, keysKnownForMs, observe } = {
    ...DEFAULTS,
    ...options,
  };
  const optionsOf = (address: string): ConnectionOptions => ({
    url: address,
    prepared,
    serverTimeoutMs: serverTimeoutMs(timeoutMs),
  });
  const reportFor = sessionReports(observe);
  const pooledOf = (address: string): ConnectionOptions => ({
    ...optionsOf(address),
    onNotOwn: reportFor(address),
  });
  try {
    await migrate(optionsOf(url), { mayCreate });
  } catch (error) {
    throw toStorageError(error);
  }
  const forWriting = new ExclusivePool(pooledOf(url), Math.ceil(connections / 2));
  const forReading = new SharedPool(pooledOf(url), Math.floor(connections / 2));
  const standbys = replicaUrls.map(
    (address) => new Standby(new SharedPool(pooledOf(address), connections)),
  );
  const transactions = new Transactions(forWriting, timeoutMs);
  const reading = new Reading(forReading, standbys, timeoutMs);
  const keys = new KeyCache(keysKnownForMs);
  const readers = storesOn(reading.run, '');
  const groupedPets = new GroupedPetAdder(transactions);
  let pinging: Promise<void> | undefined;

  return {
    read: {
      ...readers,
      pets: new GroupedPetReader(reading.run),
      apiKeys: keys.inFrontOf(readers.apiKeys),
    },

    blind: { pets: groupedPets },

    async write(work, { isRepeatable = false } = {}) {
      let endsKeys = false;
      const onKeyEnding = () => {
        endsKeys = true;
      };
      try {
        return await transactions.run(
          (run) => work(storesOn(run, 'FOR UPDATE', onKeyEnding)),
          isRepeatable,
        );
      } finally {
        // Also after a failure: it may have been committed all the same.
        if (endsKeys) keys.clear();
      }
    },

    transfer: new PostgresTransfer(optionsOf(url)),

    inSnapshot: (work) => work(),
    readsSynchronously: false,

    // Nobody can tell at once what other instances have done.
    version: () => undefined,

    ping() {
      // Whoever asks needs no credential: however many do, they take one connection at once.
      pinging ??= transactions.run(requireWritable, true).finally(() => {
        pinging = undefined;
      });
      return pinging;
    },

    async close() {
      await groupedPets.drain();
      const deadline = deadlineIn(timeoutMs);
      await forWriting.end(deadline);
      await Promise.all([forReading, ...standbys].map((pool) => pool.end(deadline)));
    },
  };
}

/** @throws ConnectionLost where nothing can be changed: another connection may lead to where it can. */
async function requireWritable(run: Run): Promise<void> {
  const [row] = await run<{ mode: string }>(
    `SELECT current_setting('transaction_read_only') AS mode FROM animal_store.schema_version`,
  );
  if (row?.mode !== 'off') throw new ConnectionLost('The database can only be read.');
}

const storesOn = (run: Run, locking: Locking, onKeyEnding?: () => void): Stores => ({
  pets: new PostgresPetStore(run, locking),
  categories: new PostgresCategoryStore(run, locking),
  orders: new PostgresOrderStore(run, locking),
  idempotencyRecords: new PostgresIdempotencyRecordStore(run),
  apiKeys: new PostgresApiKeyStore(run, locking, onKeyEnding),
  usage: new PostgresUsageStore(run),
});
