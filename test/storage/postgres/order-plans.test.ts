/** A page of orders reads few buffers, for any filters, whether the server knows the values of the parameters or not. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type Position, SORTS } from '../../../src/http/contract/list-query.ts';
import { type OrderFilters, timeOrderOf } from '../../../src/orders/order-filters.ts';
import { PostgresSql } from '../../../src/storage/postgres/statements/postgres-sql.ts';
import type { Run } from '../../../src/storage/postgres/transactions/transactions.ts';
import { StoredOrders } from '../../../src/storage/stores/order-store.ts';
import { useShared } from '../../support/use-each.ts';
import { buffersOf, plansOf } from './query-plan.ts';
import { openMigratedScratch } from './scratch.ts';

/** So many that a plan that reads a fifth of them reads too many buffers. */
const ORDERS = 20_000;
const START = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;

const scratch = useShared(openMigratedScratch);

/** For 21 rows, each in another buffer, and the index pages of each part. */
const MAX_BUFFERS = 40;

const timeOf = (order: number): string => new Date(START + order * MINUTE_MS).toISOString();

/** Every combination of filters by id, and with the times of ten hours. `counter` is the reference of most orders. */
const FILTERS: readonly OrderFilters[] = [
  {},
  { createdAfter: timeOf(10_000), createdBefore: timeOf(10_600) },
  { createdAfter: timeOf(600), createdBefore: timeOf(1_200) },
  { createdAfter: timeOf(10_000) },
  { createdBefore: timeOf(10_000) },
].flatMap((times): OrderFilters[] =>
  [undefined, 10_000, 6_000].flatMap((petId) =>
    [undefined, 'counter', 'R-7'].flatMap((reference) =>
      [undefined, ['placed'], ['delivered'], ['placed', 'delivered', 'returned']].map(
        (status) =>
          ({
            ...times,
            ...(petId !== undefined && { petId }),
            ...(reference !== undefined && { reference }),
            ...(status !== undefined && { status }),
          }) as OrderFilters,
      ),
    ),
  ),
);

/** The start of a first page, and positions near both ends. */
const startsOf = ({ createdAfter, createdBefore }: OrderFilters): (Position | undefined)[] =>
  createdAfter === undefined && createdBefore === undefined
    ? [undefined, 5, ORDERS - 5]
    : [undefined, { time: Date.parse(timeOf(10_300)), id: 10_300 }];

/** The middle tenth is placed, which is as bad for the ascending order as for the descending one. */
describe('of orders the middle tenth of which is placed,', () => {
  beforeAll(async () => {
    await scratch.sql.unsafe(`
      TRUNCATE animal_store.orders;
      INSERT INTO animal_store.orders (id, pet_id, status, created_at, expires_at, reference)
        SELECT g, g, CASE WHEN g BETWEEN 9001 AND 11000 THEN 'placed' ELSE 'delivered' END,
          ${START} + ${MINUTE_MS}::bigint * g, 1000, CASE WHEN g % 10 = 0 THEN 'R-' || g ELSE 'counter' END
        FROM generate_series(1, ${ORDERS}) AS g;
      ANALYZE animal_store.orders`);
  });

  test.each(SORTS.flatMap((sort) => FILTERS.map((filters) => [sort, filters] as const)))(
    'a page in the order %s with the filters %j reads few buffers',
    async (sort, filters) => {
      const query = { filters, sort, by: timeOrderOf(filters) };
      for (const start of startsOf(filters)) {
        const list = (run: Run) => new StoredOrders(new PostgresSql(run)).list(query, start, 21);
        for (const plan of await plansOf(scratch.sql, list))
          expect(buffersOf(plan)).toBeWithin(0, MAX_BUFFERS);
      }
    },
  );

  test.each<[string, (orders: StoredOrders) => unknown, string]>([
    ['finding', (orders) => orders.isExpiryDue(5), 'orders_by_expiry'],
    ['expiring', (orders) => orders.expire(5), 'orders_by_expiry'],
    ['finding', (orders) => orders.hasEndedBefore(5), 'orders_by_end'],
    ['deleting', (orders) => orders.deleteEndedBefore(5, 5), 'orders_by_end'],
  ])('%s the orders that are due reads no order that is not due', async (_what, work, index) => {
    const run = (run: Run) => work(new StoredOrders(new PostgresSql(run)));
    const [, plan] = await plansOf(scratch.sql, run);
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});

// A reference has fewer orders than an animal on average, but one has very many: a plan without its value would be wrong.
test('a page of an animal does not read all orders with a frequent reference', async () => {
  // Each animal has 50 orders.
  await scratch.sql.unsafe(`
    TRUNCATE animal_store.orders;
    INSERT INTO animal_store.orders (pet_id, status, created_at, reference)
      SELECT g % 400, 'delivered', g, CASE WHEN g % 5 < 2 THEN 'counter' ELSE 'R-' || g END
      FROM generate_series(1, ${ORDERS}) AS g;
    ANALYZE animal_store.orders`);
  for (const times of [{}, { createdAfter: '1970-01-01T00:00:00.000Z' }]) {
    const filters = { petId: 6, reference: 'counter', status: ['delivered'] as const, ...times };
    const sent = filters as unknown as OrderFilters;
    const query = { filters: sent, sort: 'id' as const, by: timeOrderOf(sent) };
    const list = (run: Run) => new StoredOrders(new PostgresSql(run)).list(query, undefined, 21);
    for (const plan of await plansOf(scratch.sql, list))
      expect(buffersOf(plan)).toBeWithin(0, MAX_BUFFERS + 50);
  }
});
