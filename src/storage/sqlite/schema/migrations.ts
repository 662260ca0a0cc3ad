import { type AnyTable, ORDERS } from '../../tables.ts';
import baseline from './migrations/0100-baseline.sql' with { type: 'text' };
import eventsByType from './migrations/0101-events-by-type.sql' with { type: 'text' };
import deliveries from './migrations/0102-deliveries.sql' with { type: 'text' };
import webhooks from './migrations/0103-webhooks.sql' with { type: 'text' };

/** In order. The first one leads to schema version 100. */
export const MIGRATIONS: readonly string[] = [baseline, eventsByType, deliveries, webhooks];

/** The migrations after which texts of a table are folded, because SQL cannot. */
export const FOLDS: ReadonlyMap<string, AnyTable> = new Map([[deliveries, ORDERS]]);
