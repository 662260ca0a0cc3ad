import type { Observe } from '../../observe/observation.ts';
import type { Database, Stores } from '../database.ts';
import { PostgresApiKeyStore } from './api-key-store.ts';
import { PostgresCategoryStore } from './category-store.ts';
import type { ConnectionOptions } from './connection.ts';
import { deadlineIn, serverTimeoutMs } from './deadline.ts';
import { ConnectionLost, toStorageError } from './failures.ts';
import { GroupedPetAdder } from './grouped-pet-adder.ts';
import { GroupedPetReader } from './grouped-pet-reader.ts';
import { PostgresKeptAnswerStore } from './kept-answer-store.ts';
import { KeyCache } from './key-cache.ts';
import { migrate } from './migrate.ts';
import { PostgresOrderStore } from './order-store.ts';
import { PostgresPetStore } from './pet-store.ts';
import { ExclusivePool, SharedPool } from './pools.ts';
import { Reading } from './reading.ts';
import { sessionReports } from './session-reports.ts';
import { Standby } from './standby.ts';
import { type Locking, type Run, Transactions } from './transactions.ts';
import { PostgresTransfer } from './transfer.ts';
import { PostgresUsageStore } from './usage-store.ts';

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

    together: (work) => work(),
    readsAtOnce: false,

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
  keptAnswers: new PostgresKeptAnswerStore(run),
  apiKeys: new PostgresApiKeyStore(run, locking, onKeyEnding),
  usage: new PostgresUsageStore(run),
});
