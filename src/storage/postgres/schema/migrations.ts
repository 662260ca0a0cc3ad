import baseline from './migrations/0100-baseline.sql' with { type: 'text' };
import eventsByType from './migrations/0101-events-by-type.sql' with { type: 'text' };

/** In order. The first one leads to schema version 100. */
export const MIGRATIONS: readonly string[] = [baseline, eventsByType];
