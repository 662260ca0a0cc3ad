/** The schema itself refuses rows that the service never writes, whatever program writes them. */
import { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { useShared } from '../support/use-each.ts';
import { openMigratedScratch } from './postgres/scratch.ts';

const animal = (name: string, status: string) =>
  `INSERT INTO pets (name, category_id, status) VALUES ('${name}', 1, '${status}')`;
const category = (name: string) => `INSERT INTO categories (id, name) VALUES (1, '${name}')`;
const order = (status: string) =>
  `INSERT INTO orders (pet_id, status, created_at) VALUES (1, '${status}', 0)`;
const text = (field: string, content: string) =>
  `INSERT INTO orders (pet_id, status, created_at, ${field}) VALUES (1, 'cancelled', 0, '${content}')`;
const endpoint = (status: string, reason: string) =>
  `INSERT INTO webhook_endpoints (url, status, disabled_reason, created_at, fanned_out_to)
    VALUES ('https://a.test', '${status}', ${reason}, 0, 0)`;
const delivery = (status: string, nextAt: string) =>
  `INSERT INTO webhook_deliveries (endpoint_id, event_id, status, attempts, next_at, claimed_until)
    VALUES (1, 1, '${status}', 0, ${nextAt}, 0)`;
const dogs = (count: number) => '🐕'.repeat(count);

const ACCEPTED = [
  animal(dogs(255), 'sold'),
  category(dogs(255)),
  ...['approved', 'delivered', 'cancelled', 'expired', 'returned'].map(order),
  text('reference', dogs(100)),
  text('note', dogs(1_000)),
  endpoint('enabled', 'NULL'),
  endpoint('disabled', "'gone'"),
  delivery('pending', '1'),
  ...['delivered', 'failed'].map((status) => delivery(status, 'NULL')),
];

const REFUSED = [
  animal('', 'sold'),
  animal(dogs(256), 'sold'),
  animal('Rex', 'lost'),
  category(''),
  category(dogs(256)),
  order('shipped'),
  text('reference', ''),
  text('reference', dogs(101)),
  text('note', ''),
  text('note', dogs(1_001)),
  endpoint('enabled', "'gone'"),
  endpoint('disabled', 'NULL'),
  endpoint('off', "'gone'"),
  delivery('pending', 'NULL'),
  delivery('failed', '1'),
  delivery('lost', 'NULL'),
  "UPDATE event_feed SET generation = 'a'",
  // Two deliveries of one event.
  `${delivery('pending', '1')}; ${delivery('pending', '1')}`,
  // Two open orders for one animal.
  `${order('placed')}; ${order('approved')}`,
];

const connection = new Sqlite(':memory:');
for (const migration of MIGRATIONS) connection.run(migration);
const scratch = useShared(() => openMigratedScratch());

/** Whether a new catalogue accepts statements. */
const ENGINES: Readonly<Record<string, (statements: string) => Promise<boolean>>> = {
  async SQLite(statements) {
    connection.run('BEGIN');
    try {
      connection.run(statements);
      return true;
    } catch (error) {
      expect((error as { code?: string }).code).toMatch(/^SQLITE_CONSTRAINT_(?:CHECK|UNIQUE)$/);
      return false;
    } finally {
      connection.run('ROLLBACK');
    }
  },
  async PostgreSQL(statements) {
    const rollback = new Error('rolled back');
    const refusal = await scratch.sql
      .begin(async (sql) => {
        await sql.unsafe(`SET LOCAL search_path = animal_store; ${statements}`);
        throw rollback;
      })
      .catch((error) => error);
    if (refusal === rollback) return true;
    // check_violation, unique_violation
    expect(refusal.code).toMatch(/^235(?:14|05)$/);
    return false;
  },
};

describe.each(Object.entries(ENGINES))('on %s', (_engine, accepts) => {
  test.each(ACCEPTED)('is accepted: %.120s', async (statements) => {
    expect(await accepts(statements)).toBeTrue();
  });
  test.each(REFUSED)('is refused: %.120s', async (statements) => {
    expect(await accepts(statements)).toBeFalse();
  });
});
