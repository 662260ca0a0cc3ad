import { type Steps, wait } from '../steps.ts';
import type { CatalogueContents } from './maintenance.ts';
import { type Sql, Statement } from './sql.ts';
import { KEY_END } from './stores/api-key-store.ts';
import { StoredPets } from './stores/pet-store.ts';

const COUNT_ORDERS = new Statement<{ status: string; count: number }>(
  ({ table }) =>
    `SELECT status, count(*) AS count FROM ${table('orders')} GROUP BY status ORDER BY status`,
);

type OtherContents = Omit<CatalogueContents, 'pets' | 'orders' | 'apiKeys'> & {
  readonly keys: number;
  readonly revoked: number;
  readonly expired: number;
};

/** The ids of orders ascend with time. */
const COUNT_OTHERS = new Statement<OtherContents>(({ table }) => {
  const keys = table('api_keys');
  const orders = table('orders');
  return `SELECT
    (SELECT count(*) FROM ${table('categories')}) AS categories,
    (SELECT count(*) FROM ${keys}) AS keys,
    (SELECT count(*) FROM ${keys} WHERE revoked_at IS NOT NULL) AS revoked,
    (SELECT count(*) FROM ${keys} WHERE revoked_at IS NULL AND ${KEY_END} <= $1) AS expired,
    (SELECT count(*) FROM ${table('idempotency_records')}) AS "idempotencyRecords",
    (SELECT count(*) FROM ${table('events')}) AS events,
    (SELECT created_at FROM ${orders} ORDER BY id LIMIT 1) AS "firstOrderAt",
    (SELECT created_at FROM ${orders} ORDER BY id DESC LIMIT 1) AS "lastOrderAt",
    (SELECT max(last_called_at) FROM ${table('operation_usage')}) AS "lastCallAt"`;
});

/** @param now in milliseconds since 1970-01-01T00:00:00Z. */
export function* readContents(sql: Sql, now: number): Steps<CatalogueContents> {
  const pets = yield* wait(new StoredPets(sql).inventory());
  const orders = yield* wait(sql.read(COUNT_ORDERS));
  const counts = yield* wait(sql.find(COUNT_OTHERS, now));
  if (counts === undefined) throw new Error('A count returned no row.');
  const { categories, keys, revoked, expired, ...others } = counts;
  return {
    pets: { ...pets },
    categories,
    orders: Object.fromEntries(orders.map(({ status, count }) => [status, count])),
    apiKeys: { active: keys - revoked - expired, expired, revoked },
    ...others,
  };
}
