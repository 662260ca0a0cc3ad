import type { Actor } from '../../events/cause.ts';
import type { EventContent } from '../../events/event-store.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import type { Order } from '../../orders/order.ts';
import type { ExpiredOrder, OrderStore, UnassignedOrder } from '../../orders/order-store.ts';
import type { AskedOrder } from '../../pets/pet-reservations.ts';
import type { RecordedPets } from './recorded-pets.ts';
import { previousOf, type Recording } from './recording.ts';
import { Remembered } from './remembered.ts';

/** The service itself expires orders, even if it does so within the request of a client. */
const EXPIRY: Actor = { job: 'expire-orders' };
const RETENTION: Actor = { job: 'delete-ended-orders' };

/** Fields that may name a person. An event outlives the deletion of its order, so no event contains their values. */
const WITHHELD = ['reference', 'note'] as const satisfies readonly (keyof Order)[];

/** Changes orders and records the events. */
export class RecordedOrders implements OrderStore {
  readonly #known = new Remembered<Order>((id) => this.stored.get(id));

  constructor(
    readonly stored: OrderStore,
    readonly pets: RecordedPets,
    readonly recording: Recording,
  ) {}

  list = (...parameters: Parameters<OrderStore['list']>) => this.stored.list(...parameters);

  countDays = (bounds: readonly number[]) => this.stored.countDays(bounds);

  countOpen = () => this.stored.countOpen();

  isExpiryDue = (now: number) => this.stored.isExpiryDue(now);

  hasEndedBefore = (time: number) => this.stored.hasEndedBefore(time);

  isReserved = (petId: Int64) => this.stored.isReserved(petId);

  isSoldAgain = (order: Order) => this.stored.isSoldAgain(order);

  get(id: Int64): MaybePromise<Order | undefined> {
    return this.#known.get(id);
  }

  create(order: UnassignedOrder): MaybePromise<Order> {
    return chain(this.stored.create(order), (created) => {
      this.#known.set(created.id, created);
      const { id, status } = created;
      this.recording.add(`order.${status}`, id, contentOf(created, changedTexts(created)));
      return created;
    });
  }

  replace(order: Order): MaybePromise<void> {
    const { id, status } = order;
    return chain(this.#known.last(id), (before) =>
      chain(this.stored.replace(order), () => {
        this.#known.set(id, order);
        if (before === undefined) return;
        const previous = previousOf(withoutTexts(before), withoutTexts(order));
        const withheld = changedTexts(order, before);
        if (previous === undefined && withheld === undefined) return;
        const type = before.status === status ? 'order.updated' : (`order.${status}` as const);
        this.recording.add(type, id, contentOf(order, withheld, previous));
      }),
    );
  }

  expire(now: number, asked?: AskedOrder): MaybePromise<readonly ExpiredOrder[]> {
    return chain(this.stored.expire(now, asked), (expired) => {
      for (const { order, before, pet } of expired) {
        const previous = previousOf(before, order);
        this.recording.add(
          'order.expired',
          order.id,
          contentOf(order, undefined, previous),
          EXPIRY,
        );
        if (pet === undefined) continue;
        const change = { data: pet.after, previous: previousOf(pet.before, pet.after) };
        if (change.previous) this.recording.add('pet.updated', pet.after.id, change, EXPIRY);
      }
      this.#known.forget(expired.map(({ order: { id } }) => id));
      this.pets.forget(expired.map(({ order: { petId } }) => petId));
      return expired;
    });
  }

  deleteEndedBefore(time: number, count: number): MaybePromise<Order[]> {
    return chain(this.stored.deleteEndedBefore(time, count), (deleted) => {
      for (const order of deleted)
        this.recording.add('order.deleted', order.id, contentOf(order), RETENTION);
      this.#known.forget(deleted.map(({ id }) => id));
      return deleted;
    });
  }
}

const contentOf = (
  order: Order,
  withheld?: readonly string[],
  previous?: object,
): EventContent => ({
  data: withoutTexts(order),
  previous,
  withheld,
});

const withoutTexts = ({ reference, note, ...shown }: Order) => shown;

/** The names of the texts that differ. Undefined if none does. */
function changedTexts(order: Order, before?: Order): readonly string[] | undefined {
  const changed = WITHHELD.filter((field) => order[field] !== before?.[field]);
  return changed.length > 0 ? changed : undefined;
}
