import type { Stores } from '../database.ts';
import { RecordedApiKeys } from './recorded-api-keys.ts';
import { RecordedCategories } from './recorded-categories.ts';
import { RecordedOrders } from './recorded-orders.ts';
import { RecordedPets } from './recorded-pets.ts';
import type { Recording } from './recording.ts';

/**
 * The stores of a transaction that record what changes. Both engines give only these to a write, so no handler, job or command
 * can change a resource without an event.
 */
export function recordedStores(stores: Stores, recording: Recording): Stores {
  const pets = new RecordedPets(stores.pets, recording);
  return {
    ...stores,
    pets,
    categories: new RecordedCategories(stores.categories, recording),
    orders: new RecordedOrders(stores.orders, pets, recording),
    apiKeys: new RecordedApiKeys(stores.apiKeys, recording),
  };
}
