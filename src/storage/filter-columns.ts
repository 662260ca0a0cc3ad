import type { OrderFilters } from '../orders/order-filters.ts';
import type { PetFilters } from '../pets/pet-filters.ts';

/** The column that a filter of a list is about. */
export interface FilterColumn {
  readonly column: string;
  /** The share of rows that one value has, where a planner would think that it is much smaller. */
  readonly share?: number;
}

/**
 * A column for each filter of a list: one that is missing does not compile. The column of the first
 * filter that is given must be the first of an index.
 */
export type FilterColumns<ListFilters> = {
  readonly [Name in keyof ListFilters]-?: FilterColumn;
};

export const PET_FILTER_COLUMNS: FilterColumns<PetFilters> = {
  categoryId: { column: 'category_id' },
  status: { column: 'status', share: 0.25 },
  id: { column: 'id' },
};

export const ORDER_FILTER_COLUMNS: FilterColumns<OrderFilters> = {
  petId: { column: 'pet_id' },
  status: { column: 'status' },
};
