import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type { OrderStore } from '../../../orders/order-store.ts';
import { ORDER_FILTER_COLUMNS } from '../../filter-columns.ts';
import { ORDER_COLUMNS, type OrderRow, toOrder, toOrderTimestamps } from '../../rows.ts';
import { arrayOf, readPages } from '../statements/page-queries.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';

const SELECT = `SELECT ${ORDER_COLUMNS} FROM animal_store.orders`;

/** $1 is the current time. An order that expires at this time is due. */
const DUE = "status = 'placed' AND expires_at <= $1";

/** Many orders may be due after a long downtime: without a limit, the transaction could always time out. */
const MAX_EXPIRED = 1_000;

/** Locks orders before animals, like the operations on orders, to prevent deadlocks. */
export class PostgresOrderStore implements OrderStore {
  constructor(
    readonly run: Run,
    readonly lock: RowLock,
  ) {}

  async list(filters: OrderFilters, afterId: Int64 | undefined, count: number): Promise<Order[]> {
    const starts = [afterId];
    const [page = []] = await readPages<OrderRow, OrderFilters>(
      this.run,
      SELECT,
      filters,
      ORDER_FILTER_COLUMNS,
      starts,
      count,
    );
    return page.map(toOrder);
  }

  async get(id: Int64): Promise<Order | undefined> {
    const [row] = await this.run<OrderRow>(`${SELECT} WHERE id = $1 ${this.lock}`, [id]);
    return row && toOrder(row);
  }

  async isExpiryDue(now: number): Promise<boolean> {
    const rows = await this.run(`SELECT 1 FROM animal_store.orders WHERE ${DUE} LIMIT 1`, [now]);
    return rows.length > 0;
  }

  async create(order: Omit<Order, 'id'>): Promise<Order> {
    const { createdAt, expiresAt } = toOrderTimestamps(order);
    const [row] = await this.run<{ id: Int64 }>(
      `INSERT INTO animal_store.orders (pet_id, status, created_at, expires_at)
      VALUES ($1, $2, $3, $4) RETURNING id`,
      [order.petId, order.status, createdAt, expiresAt],
    );
    if (row === undefined) throw new Error('The insert returned no id.');
    return { id: row.id, ...order };
  }

  async replace(order: Order): Promise<void> {
    const { createdAt, expiresAt } = toOrderTimestamps(order);
    await this.run(
      `UPDATE animal_store.orders SET pet_id = $1, status = $2, created_at = $3, expires_at = $4
      WHERE id = $5`,
      [order.petId, order.status, createdAt, expiresAt, order.id],
    );
  }

  async isReserved(petId: Int64): Promise<boolean> {
    const rows = await this.run(
      `SELECT 1 FROM animal_store.orders WHERE pet_id = $1 AND status IN ('placed', 'approved')`,
      [petId],
    );
    return rows.length > 0;
  }

  async expire(now: number): Promise<number> {
    // Waits for other transactions that expire the same orders. These orders are then no longer due here.
    const due = await this.run<{ id: Int64; petId: Int64 }>(
      `SELECT id, pet_id AS "petId" FROM animal_store.orders WHERE ${DUE}
      ORDER BY id LIMIT ${MAX_EXPIRED} FOR UPDATE`,
      [now],
    );
    if (due.length === 0) return 0;
    await this.run(
      `UPDATE animal_store.orders SET status = 'expired' WHERE id = ANY($1::bigint[])`,
      [arrayOf(due.map(({ id }) => id))],
    );
    await this.run(
      `UPDATE animal_store.pets SET status = 'available' WHERE id = ANY($1::bigint[])`,
      [arrayOf(due.map(({ petId }) => petId))],
    );
    return due.length;
  }
}
