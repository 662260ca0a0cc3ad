import catalogue from './migrations/0001-catalogue.sql' with { type: 'text' };
import categoriesOrdersRetries from './migrations/0002-categories-orders-retries.sql' with {
  type: 'text',
};
import statusLists from './migrations/0003-status-lists.sql' with { type: 'text' };
import dailyUsage from './migrations/0004-daily-usage.sql' with { type: 'text' };
import inventory from './migrations/0005-inventory.sql' with { type: 'text' };
import search from './migrations/0006-search.sql' with { type: 'text' };
import orders from './migrations/0007-orders.sql' with { type: 'text' };
import categoryCounts from './migrations/0008-category-counts.sql' with { type: 'text' };
import events from './migrations/0009-events.sql' with { type: 'text' };

/** In order. The first one leads to schema version 1. */
export const MIGRATIONS: readonly string[] = [
  catalogue,
  categoriesOrdersRetries,
  statusLists,
  dailyUsage,
  inventory,
  search,
  orders,
  categoryCounts,
  events,
];
