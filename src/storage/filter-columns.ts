import type { OrderFilters } from '../orders/order-filters.ts';
import type { PetFilters } from '../pets/pet-filters.ts';

/**
 * The column of each filter of a list. A missing one does not compile. A filter selects the rows whose column equals
 * its value, or one of its values. The order matters: each column must be the first column of an index because lists are
 * read by the index of the first filter in use.
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
