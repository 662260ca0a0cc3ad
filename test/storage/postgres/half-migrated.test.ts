/** A migration that was killed leaves the schema of any version. */
import { expect, test } from 'bun:test';
import { maintainPostgres } from '../../../src/storage/postgres/maintenance/maintenance.ts';
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/postgres/schema/migrations.ts';
import { openScratch } from './scratch.ts';

test('check finds no fault in a database between any two migrations, and mends a wrong count', async () => {
  const scratch = await openScratch();
  const options = { prepared: true, tlsFiles: {}, timeoutMs: 5_000 };
  const { check, repair, status } = maintainPostgres(scratch.url, options);
  const found: Record<number, readonly string[]> = {};
  for (let count = 1; count <= MIGRATIONS.length; count += 1) {
    await migrate(
      { url: scratch.url, prepared: true, serverTimeoutMs: undefined },
      { migrations: MIGRATIONS.slice(0, count) },
    );
    if (count === 1) {
      await scratch.sql`
          INSERT INTO animal_store.pets (name, category_id, status, folded_name) VALUES ('Rex', 1, 'sold', 'rex'), ('Mia', 2, NULL, 'mia')`;
      await scratch.sql`
          INSERT INTO animal_store.orders (pet_id, status, created_at, ended_at, reference, note)
          VALUES (1, 'delivered', 1, 5, 'Frau Ådne', 'O’Neill'), (1, 'cancelled', 2, 6, NULL, NULL)`;
      await scratch.sql`INSERT INTO animal_store.api_keys (name, hash, hint, scopes, created_at)
          VALUES ('a', ${Buffer.alloc(32)}, 'a', 'pets:read keys:admin', 1)`;
    }
    await scratch.sql`UPDATE animal_store.category_counts SET sold = sold + 7`;
    expect((await check()).faults.map(({ kind }) => kind)).toContain('counts');
    await repair();
    const { faults, warnings } = await check();
    const isOld = count < MIGRATIONS.length;
    expect([warnings.length, (await status(0)).contents === undefined]).toEqual([+isOld, isOld]);
    if (faults.length > 0) found[count] = faults.map(({ message }) => message);
  }
  expect(found).toEqual({});
  const orders = await scratch.sql`
      SELECT folded_texts, delivered_at::integer FROM animal_store.orders ORDER BY id`;
  expect([...orders]).toEqual([
    { folded_texts: "frau adne\u0001o'neill", delivered_at: 5 },
    { folded_texts: '', delivered_at: null },
  ]);
  const [key] = await scratch.sql`SELECT scopes FROM animal_store.api_keys`;
  expect(key).toEqual({ scopes: 'pets:read webhooks:admin keys:admin' });
  await scratch.remove();
});
