import baseline from './migrations/0100-baseline.sql' with { type: 'text' };

/** In order. The first one leads to schema version 100. */
export const MIGRATIONS: readonly string[] = [baseline];
