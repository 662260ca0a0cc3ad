import type { Stores } from '../database.ts';
import type { Sql } from '../sql.ts';
import { StoredApiKeys } from './api-key-store.ts';
import { StoredCategories } from './category-store.ts';
import { StoredEvents } from './event-store.ts';
import { StoredIdempotencyRecords } from './idempotency-record-store.ts';
import { StoredOrders } from './order-store.ts';
import { StoredPets } from './pet-store.ts';
import { StoredUsage } from './usage-store.ts';
import { StoredWebhooks } from './webhook-store.ts';

/** The stores of a connection or a transaction. @param onKeyInvalidated is called before a key is revoked or given an expiry. */
export const storesOn = (sql: Sql, onKeyInvalidated?: () => void) =>
  ({
    pets: new StoredPets(sql),
    categories: new StoredCategories(sql),
    orders: new StoredOrders(sql),
    idempotencyRecords: new StoredIdempotencyRecords(sql),
    apiKeys: new StoredApiKeys(sql, onKeyInvalidated),
    usage: new StoredUsage(sql),
    events: new StoredEvents(sql),
    webhooks: new StoredWebhooks(sql),
  }) satisfies Stores;
