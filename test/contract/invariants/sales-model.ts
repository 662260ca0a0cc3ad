import type { OrderStatus } from '../../../src/orders/order-states.ts';
import type { Pet } from '../../../src/pets/pet.ts';

/** The plain model of orders and their animals. */

export const MINUTE_MS = 60_000;
export const HOLD_MS = 30 * MINUTE_MS;
export const RETENTION_MS = 90 * MINUTE_MS;

export type Step =
  | { readonly do: 'place'; readonly pet: number; readonly status: OrderStatus | undefined }
  | { readonly do: 'move'; readonly order: number; readonly status: OrderStatus }
  | { readonly do: 'set'; readonly pet: number; readonly status: 'available' | 'sold' }
  | { readonly do: 'remove'; readonly pet: number }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'delete' };

/** What each status of an order allows a client, in words of its own. */
const MOVES: Readonly<Record<string, string>> = {
  placed: 'approved delivered cancelled',
  approved: 'delivered cancelled',
  delivered: 'returned',
};

interface ModelOrder {
  readonly pet: number;
  status: OrderStatus;
  expiresAt: number;
  endedAt: number;
}

export class Model {
  readonly pets = new Map<number, Pet['status']>();
  readonly orders = new Map<number, ModelOrder>();
  lastId = 0;
  now = 0;

  expire(): void {
    for (const order of this.orders.values()) {
      if (order.status === 'placed' && order.expiresAt <= this.now) {
        order.status = 'expired';
        order.endedAt = this.now;
        this.pets.set(order.pet, 'available');
      }
    }
  }

  /** The status of the response. */
  take(step: Step): number {
    this.expire();
    if (step.do === 'place') return this.place(step.pet, step.status ?? 'placed');
    if (step.do === 'move') return this.move(step.order, step.status);
    if (step.do === 'wait') {
      this.now += step.minutes * MINUTE_MS;
      this.expire();
    } else if (step.do === 'delete') this.deleteOld();
    else return this.change(step.pet, step.do === 'set' ? step.status : undefined);
    return 0;
  }

  place(animal: number, status: OrderStatus): number {
    if (!this.pets.has(animal)) return 400;
    if (this.pets.get(animal) !== 'available') return 409;
    this.lastId += 1;
    const order = { pet: animal, status, expiresAt: this.now + HOLD_MS, endedAt: this.now };
    this.orders.set(this.lastId, order);
    this.pets.set(animal, status === 'delivered' ? 'sold' : 'pending');
    return 201;
  }

  move(id: number, status: OrderStatus): number {
    const order = this.orders.get(id);
    if (order === undefined) return 404;
    if (order.status === status) return 200;
    if (!MOVES[order.status]?.includes(status)) return 409;
    order.status = status;
    order.endedAt = this.now;
    const animal = this.pets.get(order.pet);
    if (animal === undefined) return 200;
    if (status === 'approved') this.pets.set(order.pet, 'pending');
    if (status === 'delivered') this.pets.set(order.pet, 'sold');
    if (status === 'cancelled') this.pets.set(order.pet, 'available');
    if (status === 'returned' && animal === 'sold' && this.salesAfter(id, order.pet) === 0)
      this.pets.set(order.pet, 'available');
    return 200;
  }

  change(animal: number, status: Pet['status']): number {
    if (!this.pets.has(animal)) return 404;
    const isHeld = [...this.orders.values()].some(
      (order) => order.pet === animal && ['placed', 'approved'].includes(order.status),
    );
    if (isHeld && status !== this.pets.get(animal)) return 409;
    if (status === undefined) this.pets.delete(animal);
    else this.pets.set(animal, status);
    return status === undefined ? 204 : 200;
  }

  deleteOld(): void {
    for (const [id, { status, endedAt }] of this.orders) {
      const isOpen = status === 'placed' || status === 'approved';
      if (!isOpen && endedAt < this.now - RETENTION_MS) this.orders.delete(id);
    }
  }

  /** The later orders of an animal that are open, or have sold it. */
  salesAfter(id: number, animal: number): number {
    return [...this.orders].filter(
      ([other, order]) =>
        other > id &&
        order.pet === animal &&
        ['placed', 'approved', 'delivered'].includes(order.status),
    ).length;
  }
}
