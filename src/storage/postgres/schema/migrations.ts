import catalogue from './migrations/0001-catalogue.sql' with { type: 'text' };
import dailyUsage from './migrations/0002-daily-usage.sql' with { type: 'text' };
import inventory from './migrations/0003-inventory.sql' with { type: 'text' };
import initialInventory from './migrations/0004-initial-inventory.sql' with { type: 'text' };
import foldedNames from './migrations/0005-folded-names.sql' with { type: 'text' };
import search from './migrations/0006-search.sql' with { type: 'text' };
import orders from './migrations/0007-orders.sql' with { type: 'text' };
import orderLists from './migrations/0008-order-lists.sql' with { type: 'text' };
import categoryCounts from './migrations/0009-category-counts.sql' with { type: 'text' };
import initialCategoryCounts from './migrations/0010-initial-category-counts.sql' with {
  type: 'text',
};
import events from './migrations/0011-events.sql' with { type: 'text' };

/** In order. The first one leads to schema version 1. */
export const MIGRATIONS: readonly string[] = [
  catalogue,
  dailyUsage,
  inventory,
  initialInventory,
  foldedNames,
  search,
  orders,
  orderLists,
  categoryCounts,
  initialCategoryCounts,
  events,
];
