import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type { OrderStore } from '../../../orders/order-store.ts';
import { ORDER_FILTER_COLUMNS } from '../../filter-columns.ts';
import { ORDER_COLUMNS, type OrderRow, toOrder, toOrderTimestamps } from '../../rows.ts';
import { translateReadErrors } from '../failures.ts';
import { ExactInsert } from '../statements/exact-insert.ts';
import { ExactQuery } from '../statements/exact-query.ts';
import { after, conditionsFor, PageQueries } from '../statements/page-queries.ts';

const SELECT = `SELECT ${ORDER_COLUMNS} FROM orders`;

/**
 * The orders that are due. The parameter is the current time: an order that expires at this time is due. Without the name
 * of the index, SQLite reads all placed orders.
 */
const DUE = "orders INDEXED BY orders_by_expiry WHERE status = 'placed' AND expires_at <= ?";

const conditionsOf = conditionsFor(ORDER_FILTER_COLUMNS);

export class SqliteOrderStore implements OrderStore {
  readonly #connection: Sqlite;
  readonly #pages: PageQueries<OrderRow>;
  readonly #byId: ExactQuery<OrderRow>;
  readonly #insert: ExactInsert;
  readonly #due: Statement<unknown, [number]>;

  constructor(connection: Sqlite) {
    this.#connection = connection;
    this.#pages = new PageQueries(connection, SELECT, ['id', 'petId']);
    this.#byId = new ExactQuery(connection, `${SELECT} WHERE id = ?`, ['id', 'petId']);
    this.#insert = new ExactInsert(connection, 'orders', [
      'pet_id',
      'status',
      'created_at',
      'expires_at',
    ]);
    this.#due = connection.prepare(`SELECT 1 FROM ${DUE} LIMIT 1`);
  }

  list(filters: OrderFilters, afterId: Int64 | undefined, count: number): Order[] {
    const conditions = [...after(afterId), ...conditionsOf(filters)];
    return this.#pages.read(conditions, count).map(toOrder);
  }

  get(id: Int64): Order | undefined {
    const row = translateReadErrors(this.#connection, () => this.#byId.get(id));
    return row === null ? undefined : toOrder(row);
  }

  isExpiryDue(now: number): boolean {
    return translateReadErrors(this.#connection, () => this.#due.get(now)) !== null;
  }

  create(order: Omit<Order, 'id'>): Order {
    const { createdAt, expiresAt } = toOrderTimestamps(order);
    return { id: this.#insert.run([order.petId, order.status, createdAt, expiresAt]), ...order };
  }

  replace(order: Order): void {
    const { createdAt, expiresAt } = toOrderTimestamps(order);
    this.#connection
      .query(
        'UPDATE orders SET pet_id = ?, status = ?, created_at = ?, expires_at = ? WHERE id = ?',
      )
      .run(order.petId, order.status, createdAt, expiresAt, order.id);
  }

  isReserved(petId: Int64): boolean {
    const open = "SELECT 1 FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')";
    return this.#connection.query(open).get(petId) !== null;
  }

  expire(now: number): number {
    if (!this.isExpiryDue(now)) return 0;
    const animals = `UPDATE pets SET status = 'available' WHERE id IN (SELECT pet_id FROM ${DUE})`;
    this.#connection.query(animals).run(now);
    const ids = `SELECT id FROM ${DUE}`;
    return this.#connection
      .query(`UPDATE orders SET status = 'expired' WHERE id IN (${ids})`)
      .run(now).changes;
  }
}
