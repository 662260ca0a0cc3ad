import pg from 'pg';
import { POSTGRES_SCHEMA, readRows, toColumns } from '../rows.ts';

const BATCH_ROWS = 5_000;

const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
await client.connect();
await client.query(POSTGRES_SCHEMA);
const pets = [...readRows()].map(toColumns);
for (let start = 0; start < pets.length; start += BATCH_ROWS) {
  await client.query(
    `INSERT INTO pets (name, category_id, status)
     SELECT name, category_id, status FROM json_to_recordset($1)
       AS row (name text, category_id bigint, status text)`,
    [JSON.stringify(pets.slice(start, start + BATCH_ROWS))],
  );
}
await client.query('VACUUM ANALYZE pets');
await client.end();
