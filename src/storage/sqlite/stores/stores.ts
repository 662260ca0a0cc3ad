import type { Stores } from '../../database.ts';
import { StoredApiKeys } from '../../stores/api-key-store.ts';
import { StoredCategories } from '../../stores/category-store.ts';
import { StoredIdempotencyRecords } from '../../stores/idempotency-record-store.ts';
import { StoredOrders } from '../../stores/order-store.ts';
import { StoredUsage } from '../../stores/usage-store.ts';
import type { SqliteSql } from '../statements/sqlite-sql.ts';
import { SqliteEventStore } from './event-store.ts';
import { SqlitePetStore } from './pet-store.ts';

/** The stores of a connection. */
export function storesOn(sql: SqliteSql) {
  return {
    pets: new SqlitePetStore(sql),
    categories: new StoredCategories(sql),
    orders: new StoredOrders(sql),
    idempotencyRecords: new StoredIdempotencyRecords(sql),
    apiKeys: new StoredApiKeys(sql),
    usage: new StoredUsage(sql),
    events: new SqliteEventStore(sql),
  } satisfies Stores;
}
