/**
 * The limit of the driver: how many list queries a second postgres.js alone gets answered, with 32
 * in flight. It fills a database of its own, then listens for when to measure. PORT, ROWS and
 * DATABASE_URL are given by the environment.
 */
import postgres from 'postgres';
import { POSTGRES_SCHEMA, readRows, toColumns } from '../peers/rows.ts';
import type { Sample } from '../server.ts';
import { spreadOf } from '../statistics.ts';

const IN_FLIGHT = 32;
const BATCH_ROWS = 5_000;

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 8, onnotice: () => {} });
await sql.unsafe(POSTGRES_SCHEMA);
const pets = [...readRows()].map(toColumns);
for (let start = 0; start < pets.length; start += BATCH_ROWS) {
  await sql`INSERT INTO pets ${sql(pets.slice(start, start + BATCH_ROWS))}`;
}
await sql.unsafe('VACUUM ANALYZE pets');

async function measure(seconds: number): Promise<Sample> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  const worker = async (): Promise<void> => {
    for (let now = performance.now(); now < end; ) {
      const after = Math.floor(Math.random() * pets.length);
      await sql`
        SELECT id, name, category_id, status FROM pets
        WHERE status = 'available' AND id > ${after} ORDER BY id LIMIT 21`;
      const answered = performance.now();
      latencies.push(answered - now);
      now = answered;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const took = performance.now() - begun;
  latencies.sort((a, b) => a - b);
  return {
    requestsPerSecond: (latencies.length / took) * 1_000,
    p50Ms: spreadOf(latencies).median,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  };
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/measure') return new Response();
    return Response.json(await measure(Number(searchParams.get('seconds'))));
  },
});
