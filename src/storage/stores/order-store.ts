import { toIso } from '../../clock.ts';
import type { Actor } from '../../events/cause.ts';
import type { EventContent } from '../../events/event-store.ts';
import type { Int64 } from '../../int64.ts';
import { chain, type MaybePromise } from '../../maybe-promise.ts';
import type { Order } from '../../orders/order.ts';
import type { OrderFilters } from '../../orders/order-filters.ts';
import type {
  OpenOrders,
  OrderStore,
  OrdersOfDay,
  UnassignedOrder,
} from '../../orders/order-store.ts';
import type { Pet } from '../../pets/pet.ts';
import type { AskedOrder } from '../../pets/pet-reservations.ts';
import { earlierSale, IS_OPEN, IS_SALE } from '../order-conditions.ts';
import { COUNT_DAYS, COUNT_OPEN } from '../order-days.ts';
import { previousOf } from '../recording.ts';
import { int64FieldsOf, type Row, resourceOf, selectListOf } from '../rows.ts';
import { type Spelling, type Sql, Statement } from '../sql.ts';
import { ORDERS, PETS } from '../tables.ts';
import { resourceStatements, StoredResources } from './resource-store.ts';

const STATEMENTS = resourceStatements<Order>(ORDERS, 'order');
const toPet = resourceOf<Pet>(PETS);
const COLUMNS = selectListOf(ORDERS);

/** Many orders may be due after a long downtime: without a limit, the transaction could always time out. */
const MAX_EXPIRED = 1_000;

/** The orders that are due. $1 is the current time: an order that expires at this time is due. */
const due = ({ tableBy }: Spelling): string =>
  `${tableBy('orders', 'orders_by_expiry')} WHERE status = 'placed' AND expires_at <= $1`;

const IS_DUE = new Statement((spelling) => `SELECT 1 AS found FROM ${due(spelling)} LIMIT 1`);

/** Waits for other transactions that expire the same orders. These orders are then no longer due here. */
const DUE = new Statement<Row>(
  (spelling) =>
    `SELECT ${COLUMNS} FROM ${due(spelling)} AND ${spelling.amongFound(
      'id',
      `SELECT id FROM ${due(spelling)} ORDER BY coalesce(id = $2, pet_id = $3) DESC, expires_at LIMIT ${MAX_EXPIRED}`,
    )} ORDER BY id ${spelling.lock('FOR UPDATE')}`,
  int64FieldsOf(ORDERS),
);
const PETS_AMONG = new Statement<Row>(
  ({ table, among, lock }) => `SELECT ${selectListOf(PETS)} FROM ${table('pets')}
    WHERE ${among('id', '$1')} ORDER BY id ${lock('FOR UPDATE')}`,
  int64FieldsOf(PETS),
);
const RELEASE_PETS = new Statement(
  ({ table, among }) =>
    `UPDATE ${table('pets')} SET status = 'available' WHERE ${among('id', '$1')}`,
);
const EXPIRE = new Statement(
  ({ table, among }) =>
    `UPDATE ${table('orders')} SET status = 'expired', ended_at = $2 WHERE ${among('id', '$1')}`,
);
const IS_RESERVED = new Statement(
  ({ table }) => `SELECT 1 AS found FROM ${table('orders')} WHERE pet_id = $1 AND ${IS_OPEN}`,
);
const LATER_SALE = new Statement(
  ({ table }) =>
    `SELECT 1 AS found FROM ${table('orders')} WHERE pet_id = $1 AND id > $2 AND ${IS_SALE} LIMIT 1`,
);
/** PostgreSQL assumes that a third of the orders ended before the time. The order makes it use the index. */
const HAS_ENDED = new Statement(
  ({ table }) =>
    `SELECT 1 AS found FROM ${table('orders')} WHERE ended_at < $1 ORDER BY ended_at LIMIT 1`,
);
const ENDED = new Statement<Row>(
  ({
    table,
    tableBy,
    lock,
  }) => `SELECT ${COLUMNS} FROM ${tableBy('orders', 'orders_by_end', 'ended')}
    WHERE ended_at < $1 AND NOT ${earlierSale(table('orders'))}
    ORDER BY ended_at LIMIT $2 ${lock('FOR UPDATE SKIP LOCKED')}`,
  int64FieldsOf(ORDERS),
);
const DELETE_AMONG = new Statement(
  ({ table, among }) => `DELETE FROM ${table('orders')} WHERE ${among('id', '$1')}`,
);

/** Locks orders before animals, like the operations on orders, to prevent deadlocks. */
export class StoredOrders
  extends StoredResources<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  constructor(sql: Sql) {
    super(STATEMENTS, sql);
  }

  countDays(bounds: readonly number[]): MaybePromise<OrdersOfDay[]> {
    const days = bounds.slice(1).map((end, index) => [bounds[index] ?? 0, end]);
    return chain(this.sql.read(COUNT_DAYS, ...this.sql.rowsOf(days, 2)), (counts) => [...counts]);
  }

  countOpen(): MaybePromise<OpenOrders> {
    return chain(this.sql.find(COUNT_OPEN), (counts) => {
      if (counts === undefined) throw new Error('A count returned no row.');
      return counts;
    });
  }

  isExpiryDue(now: number): MaybePromise<boolean> {
    return chain(this.sql.find(IS_DUE, now), (row) => row !== undefined);
  }

  isReserved(petId: Int64): MaybePromise<boolean> {
    return chain(this.sql.find(IS_RESERVED, petId), (row) => row !== undefined);
  }

  isSoldAgain({ id, petId }: Order): MaybePromise<boolean> {
    return chain(this.sql.find(LATER_SALE, petId, id), (row) => row !== undefined);
  }

  expire(now: number, asked: AskedOrder = {}): MaybePromise<Order[]> {
    const { sql } = this;
    return chain(this.isExpiryDue(now), (isDue) =>
      isDue
        ? chain(sql.read(DUE, now, asked.id ?? null, asked.petId ?? null), (rows) =>
            this.#expire(rows.map(this.statements.toResource), now),
          )
        : [],
    );
  }

  #expire(orders: readonly Order[], now: number): MaybePromise<Order[]> {
    if (orders.length === 0) return [];
    const { sql } = this;
    const petIds = sql.listOf(orders.map(({ petId }) => petId));
    const ids = sql.listOf(orders.map(({ id }) => id));
    return chain(sql.read(PETS_AMONG, petIds), (pets) =>
      chain(sql.change(EXPIRE, ids, now), () =>
        chain(sql.change(RELEASE_PETS, petIds), () =>
          this.#recordExpired(orders, pets.map(toPet), now),
        ),
      ),
    );
  }

  /** @param pets their animals, as they were before. */
  #recordExpired(orders: readonly Order[], pets: readonly Pet[], now: number): Order[] {
    const { recording } = this.sql;
    const petsById = new Map(pets.map((pet) => [pet.id, pet]));
    return orders.map((before) => {
      recording?.forget(ORDERS.name, before.id);
      recording?.forget(PETS.name, before.petId);
      const order: Order = { ...before, status: 'expired', endedAt: toIso(now) };
      const content = contentOf(order, undefined, previousOf(before, order));
      this.record('expired', order.id, content, EXPIRY);
      const pet = petsById.get(order.petId);
      if (pet && pet.status !== 'available') {
        const data: Pet = { ...pet, status: 'available' };
        recording?.add('pet.updated', pet.id, { data, previous: previousOf(pet, data) }, EXPIRY);
      }
      return order;
    });
  }

  hasEndedBefore(time: number): MaybePromise<boolean> {
    return chain(this.sql.find(HAS_ENDED, time), (row) => row !== undefined);
  }

  deleteEndedBefore(time: number, count: number): MaybePromise<Order[]> {
    return chain(this.sql.read(ENDED, time, count), (rows) => {
      if (rows.length === 0) return [];
      const orders = rows.map(this.statements.toResource);
      const ids = this.sql.listOf(orders.map(({ id }) => id));
      return chain(this.sql.change(DELETE_AMONG, ids), () => {
        for (const order of orders) {
          this.sql.recording?.forget(ORDERS.name, order.id);
          this.record('deleted', order.id, contentOf(order), RETENTION);
        }
        return orders;
      });
    });
  }

  protected override recordCreated(created: Order): void {
    this.record(created.status, created.id, contentOf(created, changedTexts(created)));
  }

  protected override recordReplaced(before: Order, order: Order): void {
    const previous = previousOf(withoutTexts(before), withoutTexts(order));
    const withheld = changedTexts(order, before);
    if (previous === undefined && withheld === undefined) return;
    const change = before.status === order.status ? 'updated' : order.status;
    this.record(change, order.id, contentOf(order, withheld, previous));
  }
}

/** The service itself expires orders, even if it does so within the request of a client. */
const EXPIRY: Actor = { job: 'expire-orders' };
const RETENTION: Actor = { job: 'delete-ended-orders' };

/** Fields that may name a person. An event outlives the deletion of its order, so no event contains their values. */
const WITHHELD = ['reference', 'note'] as const satisfies readonly (keyof Order)[];

const contentOf = (
  order: Order,
  withheld?: readonly string[],
  previous?: object,
): EventContent => ({ data: withoutTexts(order), previous, withheld });

const withoutTexts = ({ reference, note, ...shown }: Order) => shown;

/** The names of the texts that differ. Undefined if none does. */
function changedTexts(order: Order, before?: Order): readonly string[] | undefined {
  const changed = WITHHELD.filter((field) => order[field] !== before?.[field]);
  return changed.length > 0 ? changed : undefined;
}
