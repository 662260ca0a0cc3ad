import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { ListQuery, Position } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type { OrderStore, UnassignedOrder } from '../../../orders/order-store.ts';
import { earlierSale, IS_OPEN, IS_SALE } from '../../order-conditions.ts';
import { type Row, resourceOf, selectListOf } from '../../rows.ts';
import { ORDERS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { MergedPages } from '../statements/merged-pages.ts';
import { int64FieldsOf, SqliteResourceStore } from './resource-store.ts';

/**
 * The orders that are due. The parameter is the current time: an order that expires at this time is due. Without the name
 * of the index, SQLite reads all placed orders.
 */
const DUE = "orders INDEXED BY orders_by_expiry WHERE status = 'placed' AND expires_at <= ?";

const toOrder = resourceOf<Order>(ORDERS);

export class SqliteOrderStore
  extends SqliteResourceStore<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  readonly #pages: MergedPages<Row>;
  readonly #due: Statement<unknown, [number]>;
  readonly #ended: Statement<unknown, [number]>;

  constructor(connection: Sqlite) {
    super(connection, ORDERS);
    const select = `SELECT ${selectListOf(ORDERS)} FROM orders`;
    this.#pages = new MergedPages(connection, ORDERS, select, int64FieldsOf(ORDERS));
    this.#due = connection.prepare(`SELECT 1 FROM ${DUE} LIMIT 1`);
    this.#ended = connection.prepare('SELECT 1 FROM orders WHERE ended_at < ? LIMIT 1');
  }

  override list(
    query: ListQuery<OrderFilters>,
    after: Position | undefined,
    count: number,
  ): Order[] {
    return this.#pages.read(query, after, count).map(toOrder);
  }

  override create(order: UnassignedOrder, endedAt?: number): Order {
    const { id } = super.create({ ...order, endedAt } as UnassignedOrder);
    return { id, ...order };
  }

  override replace(order: Order, endedAt?: number): void {
    super.replace({ ...order, endedAt } as Order);
  }

  isExpiryDue(now: number): boolean {
    return translateReadErrors(this.connection, () => this.#due.get(now)) !== null;
  }

  isReserved(petId: Int64): boolean {
    const open = `SELECT 1 FROM orders WHERE pet_id = ? AND ${IS_OPEN}`;
    return this.connection.query(open).get(petId) !== null;
  }

  isSoldAgain({ id, petId }: Order): boolean {
    const later = `SELECT 1 FROM orders WHERE pet_id = ? AND id > ? AND ${IS_SALE} LIMIT 1`;
    return this.connection.query(later).get(petId, id) !== null;
  }

  expire(now: number): number {
    if (!this.isExpiryDue(now)) return 0;
    const animals = `UPDATE pets SET status = 'available' WHERE id IN (SELECT pet_id FROM ${DUE})`;
    this.connection.query(animals).run(now);
    const ids = `SELECT id FROM ${DUE}`;
    return this.connection
      .query(`UPDATE orders SET status = 'expired', ended_at = ? WHERE id IN (${ids})`)
      .run(now, now).changes;
  }

  hasEndedBefore(time: number): boolean {
    return translateReadErrors(this.connection, () => this.#ended.get(time)) !== null;
  }

  deleteEndedBefore(time: number, count: number): number {
    return this.connection
      .query(
        `DELETE FROM orders WHERE id IN (
          SELECT id FROM orders AS ended INDEXED BY orders_by_end
          WHERE ended_at < ? AND NOT ${earlierSale('orders')} ORDER BY ended_at LIMIT ?
        )`,
      )
      .run(time, count).changes;
  }
}
