import { toIso } from '../clock.ts';
import type { Order } from '../orders/order.ts';
import type { ExpiredOrder } from '../orders/order-store.ts';
import type { Pet } from '../pets/pet.ts';

/** Many orders may be due after a long downtime: without a limit, the transaction could always time out. */
export const MAX_EXPIRED = 1_000;

/**
 * What the expiry of these orders changes.
 * @param pets their animals, as they are before.
 * @param now in milliseconds since 1970-01-01T00:00:00Z.
 */
export function expiredOf(
  orders: readonly Order[],
  pets: readonly Pet[],
  now: number,
): ExpiredOrder[] {
  const petsById = new Map(pets.map((pet) => [pet.id, pet]));
  return orders.map((before) => {
    const pet = petsById.get(before.petId);
    return {
      before,
      order: { ...before, status: 'expired', endedAt: toIso(now) },
      pet: pet && { before: pet, after: { ...pet, status: 'available' } },
    };
  });
}
