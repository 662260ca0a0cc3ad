import type { OrderFilters } from '../orders/order-filters.ts';
import type { PetFilters } from '../pets/pet-filters.ts';

/**
 * A column for each filter of a list: one that is missing does not compile. The column of the first
 * filter that is given must be the first of an index.
 */
export type FilterColumns<ListFilters> = {
  readonly [Name in keyof ListFilters]-?: string;
};

export const PET_FILTER_COLUMNS: FilterColumns<PetFilters> = {
  categoryId: 'category_id',
  status: 'status',
  id: 'id',
};

export const ORDER_FILTER_COLUMNS: FilterColumns<OrderFilters> = {
  petId: 'pet_id',
  status: 'status',
};
