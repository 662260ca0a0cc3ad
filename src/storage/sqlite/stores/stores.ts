import type { Database as Sqlite } from 'bun:sqlite';
import type { Stores } from '../../database.ts';
import { SqliteApiKeyStore } from './api-key-store.ts';
import { SqliteCategoryStore } from './category-store.ts';
import { SqliteEventStore } from './event-store.ts';
import { SqliteIdempotencyRecordStore } from './idempotency-record-store.ts';
import { SqliteOrderStore } from './order-store.ts';
import { SqlitePetStore } from './pet-store.ts';
import { SqliteUsageStore } from './usage-store.ts';

/** The stores of a connection. */
export const storesOn = (connection: Sqlite) =>
  ({
    pets: new SqlitePetStore(connection),
    categories: new SqliteCategoryStore(connection),
    orders: new SqliteOrderStore(connection),
    idempotencyRecords: new SqliteIdempotencyRecordStore(connection),
    apiKeys: new SqliteApiKeyStore(connection),
    usage: new SqliteUsageStore(connection),
    events: new SqliteEventStore(connection),
  }) satisfies Stores;
