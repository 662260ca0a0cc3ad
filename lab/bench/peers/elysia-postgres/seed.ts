import postgres from 'postgres';
import { POSTGRES_SCHEMA, readRows, toColumns } from '../rows.ts';

const BATCH_ROWS = 5_000;

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 1, onnotice: () => {} });
await sql.unsafe(POSTGRES_SCHEMA);
const pets = [...readRows()].map(toColumns);
for (let start = 0; start < pets.length; start += BATCH_ROWS) {
  await sql`INSERT INTO pets ${sql(pets.slice(start, start + BATCH_ROWS))}`;
}
await sql.unsafe('VACUUM ANALYZE pets');
await sql.end();
