import type { Database as Sqlite } from 'bun:sqlite';
import type { Stores } from '../../database.ts';
import { StoredApiKeys } from '../../stores/api-key-store.ts';
import { StoredIdempotencyRecords } from '../../stores/idempotency-record-store.ts';
import { StoredUsage } from '../../stores/usage-store.ts';
import { SqliteSql } from '../statements/sqlite-sql.ts';
import { SqliteCategoryStore } from './category-store.ts';
import { SqliteEventStore } from './event-store.ts';
import { SqliteOrderStore } from './order-store.ts';
import { SqlitePetStore } from './pet-store.ts';

/** The stores of a connection. */
export function storesOn(connection: Sqlite) {
  const sql = new SqliteSql(connection);
  return {
    pets: new SqlitePetStore(connection),
    categories: new SqliteCategoryStore(connection),
    orders: new SqliteOrderStore(connection),
    idempotencyRecords: new StoredIdempotencyRecords(sql),
    apiKeys: new StoredApiKeys(sql),
    usage: new StoredUsage(sql),
    events: new SqliteEventStore(connection),
  } satisfies Stores;
}
