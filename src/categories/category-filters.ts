import { nameSearch } from '../http/contract/fields.ts';
import type { FilterValues } from '../http/contract/list-query.ts';

/** Values of the filters that can be sent together. */
export const CATEGORY_FILTER_EXAMPLES = { name: 'dog' } as const;

export const CATEGORY_FILTERS = {
  name: nameSearch('categories', CATEGORY_FILTER_EXAMPLES.name),
};
export type CategoryFilters = FilterValues<typeof CATEGORY_FILTERS>;
