import type { OrderFilters } from '../orders/order-filters.ts';
import type { PetFilters } from '../pets/pet-filters.ts';

/**
 * A column for each filter of a list. A missing one does not compile. The order matters: each column must be the
 * first column of an index, since lists are read by the index of the first filter in use.
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
