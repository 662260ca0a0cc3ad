import { DELIVERED_STATUSES, OPEN_STATUSES, SALE_STATUSES } from '../orders/order-states.ts';

/** Conditions on orders in SQL, for both engines. */

const isOneOf = (statuses: readonly string[]): string =>
  `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;

/** The order holds its animal. */
export const IS_OPEN = isOneOf(OPEN_STATUSES);

/** The order holds its animal, or sold it. */
export const IS_SALE = isOneOf(SALE_STATUSES);

/** The order was delivered, whether the animal came back or not. */
export const WAS_DELIVERED = isOneOf(DELIVERED_STATUSES);

/**
 * An earlier order of the same animal is delivered. Orders end in their sequence unless the clock was set back in between.
 * @param orders the table.
 */
export const earlierSale = (orders: string): string =>
  `EXISTS (SELECT 1 FROM ${orders} AS earlier
    WHERE earlier.pet_id = ended.pet_id AND earlier.id < ended.id AND earlier.status = 'delivered')`;
