import type { Int64 } from '../int64.ts';
import type { Inventory } from '../pets/pet-store.ts';

/** The counts of a category. One without animals has no row. */
export interface CategoryCounts extends Inventory {
  readonly categoryId: Int64;
}

const NO_ANIMALS: Inventory = { available: 0, pending: 0, sold: 0, unset: 0 };

/** The counts of these categories, in the order of the ids. */
export function inventoriesIn(rows: readonly CategoryCounts[], ids: readonly Int64[]): Inventory[] {
  const found = new Map(rows.map(({ categoryId, ...counts }) => [categoryId, counts]));
  return ids.map((id) => found.get(id) ?? NO_ANIMALS);
}
