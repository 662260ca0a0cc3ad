import { foldText } from '../../../fold-text.ts';
import type { Asker, ListQuery, Position } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import type { Order } from '../../../orders/order.ts';
import type { OrderFilters } from '../../../orders/order-filters.ts';
import type {
  ExpiredOrder,
  OpenOrders,
  OrderStore,
  OrdersOfDay,
  UnassignedOrder,
} from '../../../orders/order-store.ts';
import type { AskedOrder } from '../../../pets/pet-reservations.ts';
import { expiredOf, MAX_EXPIRED } from '../../expired-orders.ts';
import { earlierSale, IS_OPEN, IS_SALE } from '../../order-conditions.ts';
import { selectDays, selectOpenOrders } from '../../order-days.ts';
import { type Row, selectListOf } from '../../rows.ts';
import { type ReadSlice, searchSlices, sliceRowsOf } from '../../search.ts';
import { ORDERS } from '../../tables.ts';
import { arrayOf } from '../statements/arrays.ts';
import { readMergedPage, readMergedSlice } from '../statements/merged-pages.ts';
import type { RowLock, Run } from '../transactions/transactions.ts';
import { PET_STATEMENTS } from './pet-store.ts';
import { PostgresResourceStore, resourceStatements, SEARCHES } from './resource-store.ts';

const STATEMENTS = resourceStatements<Order>(ORDERS);

/** $1 is the current time. An order that expires at this time is due. */
const DUE = "status = 'placed' AND expires_at <= $1";

const DAYS = selectDays(
  'animal_store.orders',
  'unnest($1::bigint[], $2::bigint[]) AS day (begins, ends)',
);
const OPEN_ORDERS = selectOpenOrders('animal_store.orders');

/** Locks orders before animals, like the operations on orders, to prevent deadlocks. */
export class PostgresOrderStore
  extends PostgresResourceStore<Order, UnassignedOrder, OrderFilters>
  implements OrderStore
{
  constructor(run: Run, lock: RowLock) {
    super(STATEMENTS, run, lock);
  }

  override async list(
    query: ListQuery<OrderFilters>,
    after: Position | undefined,
    count: number,
    asker?: Asker,
  ): Promise<Order[]> {
    const { run } = this;
    const { table, select, toResource } = this.statements;
    const { filters, ...order } = query;
    const { text, ...others } = filters;
    if (text === undefined) {
      const rows = await readMergedPage(run, table, select, query, after, count);
      return rows.map(toResource);
    }
    const list = { filters: others, ...order };
    const readSlice: ReadSlice<Order, Position> = async (request) => {
      const { items, next } = await readMergedSlice(run, table, foldText(text), list, request);
      return { items: items.map(toResource), next };
    };
    return searchSlices(SEARCHES, readSlice, after, count, asker, sliceRowsOf(list));
  }

  async countDays(bounds: readonly number[]): Promise<OrdersOfDay[]> {
    return [
      ...(await this.run<OrdersOfDay>(DAYS, [
        arrayOf(bounds.slice(0, -1)),
        arrayOf(bounds.slice(1)),
      ])),
    ];
  }

  async countOpen(): Promise<OpenOrders> {
    const [counts] = await this.run<OpenOrders>(OPEN_ORDERS);
    if (counts === undefined) throw new Error('A count returned no row.');
    return counts;
  }

  async isExpiryDue(now: number): Promise<boolean> {
    const rows = await this.run(`SELECT 1 FROM animal_store.orders WHERE ${DUE} LIMIT 1`, [now]);
    return rows.length > 0;
  }

  async isReserved(petId: Int64): Promise<boolean> {
    const rows = await this.run(
      `SELECT 1 FROM animal_store.orders WHERE pet_id = $1 AND ${IS_OPEN}`,
      [petId],
    );
    return rows.length > 0;
  }

  async isSoldAgain({ id, petId }: Order): Promise<boolean> {
    const rows = await this.run(
      `SELECT 1 FROM animal_store.orders WHERE pet_id = $1 AND id > $2 AND ${IS_SALE} LIMIT 1`,
      [petId, id],
    );
    return rows.length > 0;
  }

  async expire(now: number, asked: AskedOrder = {}): Promise<ExpiredOrder[]> {
    const first = `SELECT id FROM animal_store.orders WHERE ${DUE}
      ORDER BY coalesce(id = $2, pet_id = $3) DESC, id LIMIT ${MAX_EXPIRED}`;
    // Waits for other transactions that expire the same orders. These orders are then no longer due here.
    const due = await this.run<Row>(
      `${STATEMENTS.select} WHERE ${DUE} AND id = ANY(ARRAY(${first})) ORDER BY id FOR UPDATE`,
      [now, asked.id ?? null, asked.petId ?? null],
    );
    if (due.length === 0) return [];
    const orders = due.map(STATEMENTS.toResource);
    const petIds = arrayOf(orders.map(({ petId }) => petId));
    const pets = await this.run<Row>(
      `${PET_STATEMENTS.select} WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
      [petIds],
    );
    await this.run(
      `UPDATE animal_store.orders SET status = 'expired', ended_at = $2 WHERE id = ANY($1::bigint[])`,
      [arrayOf(orders.map(({ id }) => id)), now],
    );
    await this.run(
      `UPDATE animal_store.pets SET status = 'available' WHERE id = ANY($1::bigint[])`,
      [petIds],
    );
    return expiredOf(orders, pets.map(PET_STATEMENTS.toResource), now);
  }

  async hasEndedBefore(time: number): Promise<boolean> {
    // The planner assumes that a third of the orders ended before the time. The order makes it use the index.
    const first = 'SELECT 1 FROM animal_store.orders WHERE ended_at < $1 ORDER BY ended_at LIMIT 1';
    return (await this.run(first, [time])).length > 0;
  }

  async deleteEndedBefore(time: number, count: number): Promise<Order[]> {
    const ended = await this.run<Row>(
      `SELECT ${selectListOf(ORDERS)} FROM animal_store.orders AS ended
      WHERE ended_at < $1 AND NOT ${earlierSale('animal_store.orders')}
      ORDER BY ended_at LIMIT ${count} FOR UPDATE SKIP LOCKED`,
      [time],
    );
    if (ended.length === 0) return [];
    const orders = ended.map(STATEMENTS.toResource);
    await this.run('DELETE FROM animal_store.orders WHERE id = ANY($1::bigint[])', [
      arrayOf(orders.map(({ id }) => id)),
    ]);
    return orders;
  }
}
