import { countField } from '../http/contract/fields.ts';
import { z } from '../http/contract/zod.ts';
import type { Int64 } from '../int64.ts';
import type { MaybePromise } from '../maybe-promise.ts';

export const Inventory = z
  .object({
    available: countField('Animals that can be ordered.'),
    pending: countField('Animals that an open order holds, or that staff set to pending.'),
    sold: countField('Animals that were sold.'),
    unset: countField('Animals without a status.'),
  })
  .openapi('Inventory', { description: 'How many animals have each status.' });
export type Inventory = Readonly<z.infer<typeof Inventory>>;

/** Counts animals by category. Failures are thrown as `StorageError`. */
export interface CategoryCounter {
  /** The number of animals by status in each of these categories, in the order of the ids. */
  inventoriesOf(categoryIds: readonly Int64[]): MaybePromise<readonly Inventory[]>;
}
