import type { Database as Sqlite, Statement } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { Asker, ListQuery, Position } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type {
  ExpiredOrder,
  OpenOrders,
  OrderStore,
  OrdersOfDay,
  UnassignedOrder,
} from '../../../orders/order-store.ts';
import type { Pet } from '../../../pets/pet.ts';
import type { AskedOrder } from '../../../pets/pet-reservations.ts';
import { expiredOf, MAX_EXPIRED } from '../../expired-orders.ts';
import { earlierSale, IS_OPEN, IS_SALE } from '../../order-conditions.ts';
import { selectDays, selectOpenOrders } from '../../order-days.ts';
import { type Row, resourceOf, selectListOf } from '../../rows.ts';
import { type ReadSlice, searchSlices, sliceRowsOf } from '../../search.ts';
import { ORDERS, PETS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { MergedPages } from '../statements/merged-pages.ts';
import { int64FieldsOf, SEARCHES, SqliteResourceStore } from './resource-store.ts';

/**
 * The orders that are due. The parameter is the current time: an order that expires at this time is due. Without the name
 * of the index, SQLite reads all placed orders.
 */
const DUE = "orders INDEXED BY orders_by_expiry WHERE status = 'placed' AND expires_at <= ?";

/** Without the name of the index, SQLite reads all orders with a status. */
const DAYS = selectDays(
  'orders',
  '(SELECT value ->> 0 AS begins, value ->> 1 AS ends FROM json_each(?))',
  'orders INDEXED BY orders_by_end',
);
const OPEN_ORDERS = selectOpenOrders('orders');

const toOrder = resourceOf<Order>(ORDERS);
const toPet = resourceOf<Pet>(PETS);

/** A list of ids as a parameter. */
const AMONG = 'IN (SELECT value FROM json_each(?))';

const idsOf = (rows: readonly { readonly id: Int64 }[]): string =>
  `[${rows.map(({ id }) => id).join()}]`;

export class SqliteOrderStore
  extends SqliteResourceStore<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  readonly #pages: MergedPages<Row>;
  readonly #isDue: Statement<unknown, [number]>;
  readonly #due: ExactQuery<Row>;
  readonly #petsAmong: ExactQuery<Row>;
  readonly #endedBefore: ExactQuery<Row>;
  readonly #ended: Statement<unknown, [number]>;

  constructor(connection: Sqlite) {
    super(connection, ORDERS);
    const select = `SELECT ${selectListOf(ORDERS)} FROM orders`;
    this.#pages = new MergedPages(connection, ORDERS, select, int64FieldsOf(ORDERS));
    this.#isDue = connection.prepare(`SELECT 1 FROM ${DUE} LIMIT 1`);
    this.#due = new ExactQuery(
      connection,
      `SELECT ${selectListOf(ORDERS)} FROM ${DUE}
        ORDER BY coalesce(id = ?, pet_id = ?) DESC, expires_at LIMIT ${MAX_EXPIRED}`,
      int64FieldsOf(ORDERS),
    );
    const pets = `SELECT ${selectListOf(PETS)} FROM pets WHERE id ${AMONG}`;
    this.#petsAmong = new ExactQuery(connection, pets, int64FieldsOf(PETS));
    this.#endedBefore = new ExactQuery(
      connection,
      `SELECT ${selectListOf(ORDERS)} FROM orders AS ended INDEXED BY orders_by_end
        WHERE ended_at < ? AND NOT ${earlierSale('orders')} ORDER BY ended_at LIMIT ?`,
      int64FieldsOf(ORDERS),
    );
    this.#ended = connection.prepare('SELECT 1 FROM orders WHERE ended_at < ? LIMIT 1');
  }

  override list(
    query: ListQuery<OrderFilters>,
    after: Position | undefined,
    count: number,
    asker?: Asker,
  ): MaybePromise<Order[]> {
    const { filters, ...order } = query;
    const { text, ...others } = filters;
    if (text === undefined) return this.#pages.read(query, after, count).map(toOrder);
    const list = { filters: others, ...order };
    const readSlice: ReadSlice<Order, Position> = (request) => {
      const { items, next } = this.#pages.readSlice(foldText(text), list, request);
      return { items: items.map(toOrder), next };
    };
    return searchSlices(SEARCHES, readSlice, after, count, asker, sliceRowsOf(list));
  }

  countDays(bounds: readonly number[]): OrdersOfDay[] {
    return translateReadErrors(this.connection, () =>
      this.connection
        .query<OrdersOfDay, [string]>(DAYS)
        .all(JSON.stringify(bounds.slice(1).map((end, index) => [bounds[index], end]))),
    );
  }

  countOpen(): OpenOrders {
    const counts = translateReadErrors(this.connection, () =>
      this.connection.query<OpenOrders, []>(OPEN_ORDERS).get(),
    );
    if (counts === null) throw new Error('A count returned no row.');
    return counts;
  }

  isExpiryDue(now: number): boolean {
    return translateReadErrors(this.connection, () => this.#isDue.get(now)) !== null;
  }

  isReserved(petId: Int64): boolean {
    const open = `SELECT 1 FROM orders WHERE pet_id = ? AND ${IS_OPEN}`;
    return this.connection.query(open).get(petId) !== null;
  }

  isSoldAgain({ id, petId }: Order): boolean {
    const later = `SELECT 1 FROM orders WHERE pet_id = ? AND id > ? AND ${IS_SALE} LIMIT 1`;
    return this.connection.query(later).get(petId, id) !== null;
  }

  expire(now: number, asked: AskedOrder = {}): ExpiredOrder[] {
    if (!this.isExpiryDue(now)) return [];
    const orders = this.#due.all(now, asked.id ?? null, asked.petId ?? null).map(toOrder);
    const petIds = `[${orders.map(({ petId }) => petId).join()}]`;
    const pets = this.#petsAmong.all(petIds).map(toPet);
    this.connection.query(`UPDATE pets SET status = 'available' WHERE id ${AMONG}`).run(petIds);
    this.connection
      .query(`UPDATE orders SET status = 'expired', ended_at = ? WHERE id ${AMONG}`)
      .run(now, idsOf(orders));
    return expiredOf(orders, pets, now);
  }

  hasEndedBefore(time: number): boolean {
    return translateReadErrors(this.connection, () => this.#ended.get(time)) !== null;
  }

  deleteEndedBefore(time: number, count: number): Order[] {
    const orders = this.#endedBefore.all(time, count).map(toOrder);
    this.connection.query(`DELETE FROM orders WHERE id ${AMONG}`).run(idsOf(orders));
    return orders;
  }
}
