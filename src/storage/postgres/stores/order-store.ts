import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type { OrderStore, UnassignedOrder } from '../../../orders/order-store.ts';
import { ORDERS } from '../../tables.ts';
import { arrayOf } from '../statements/arrays.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { PostgresResourceStore, resourceStatements } from './resource-store.ts';

const STATEMENTS = resourceStatements<Order>(ORDERS);

/** $1 is the current time. An order that expires at this time is due. */
const DUE = "status = 'placed' AND expires_at <= $1";

/** Many orders may be due after a long downtime: without a limit, the transaction could always time out. */
const MAX_EXPIRED = 1_000;

/** Locks orders before animals, like the operations on orders, to prevent deadlocks. */
export class PostgresOrderStore
  extends PostgresResourceStore<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  constructor(run: Run, lock: RowLock) {
    super(STATEMENTS, run, lock);
  }

  async isExpiryDue(now: number): Promise<boolean> {
    const rows = await this.run(`SELECT 1 FROM animal_store.orders WHERE ${DUE} LIMIT 1`, [now]);
    return rows.length > 0;
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
