import type { Filters, ListQuery } from '../../src/http/contract/list-query.ts';

/** A list in the default order. */
export const ascending = <ListFilters extends Filters>(
  filters: ListFilters,
): ListQuery<ListFilters> => ({ filters, sort: 'id' });

/** All items of a list, in the default order. */
export const EVERY = ascending({});
