import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type { OrderStore, UnassignedOrder } from '../../../orders/order-store.ts';
import { ORDERS } from '../../tables.ts';
import { translateReadErrors } from '../failures.ts';
import { SqliteResourceStore } from './resource-store.ts';

/**
 * The orders that are due. The parameter is the current time: an order that expires at this time is due. Without the name
 * of the index, SQLite reads all placed orders.
 */
const DUE = "orders INDEXED BY orders_by_expiry WHERE status = 'placed' AND expires_at <= ?";

export class SqliteOrderStore
  extends SqliteResourceStore<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  readonly #due: Statement<unknown, [number]>;

  constructor(connection: Sqlite) {
    super(connection, ORDERS);
    this.#due = connection.prepare(`SELECT 1 FROM ${DUE} LIMIT 1`);
  }

  isExpiryDue(now: number): boolean {
    return translateReadErrors(this.connection, () => this.#due.get(now)) !== null;
  }

  isReserved(petId: Int64): boolean {
    const open = "SELECT 1 FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')";
    return this.connection.query(open).get(petId) !== null;
  }

  expire(now: number): number {
    if (!this.isExpiryDue(now)) return 0;
    const animals = `UPDATE pets SET status = 'available' WHERE id IN (SELECT pet_id FROM ${DUE})`;
    this.connection.query(animals).run(now);
    const ids = `SELECT id FROM ${DUE}`;
    return this.connection
      .query(`UPDATE orders SET status = 'expired' WHERE id IN (${ids})`)
      .run(now).changes;
  }
}
