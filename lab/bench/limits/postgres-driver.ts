/**
 * The limit of the driver: list queries/s of postgres.js alone, 32 in flight. It fills its own
 * database, then measures on request. Environment variables: PORT, ROWS and DATABASE_URL.
 */
import postgres from 'postgres';
import { POSTGRES_SCHEMA, readRows, toColumns } from '../peers/rows.ts';
import { spreadOf } from '../statistics.ts';
import type { Measured } from '../wrk.ts';

const IN_FLIGHT = 32;
const BATCH_ROWS = 5_000;

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 8, onnotice: () => {} });
await sql.unsafe(POSTGRES_SCHEMA);
const pets = [...readRows()].map(toColumns);
for (let start = 0; start < pets.length; start += BATCH_ROWS) {
  await sql`INSERT INTO pets ${sql(pets.slice(start, start + BATCH_ROWS))}`;
}
await sql.unsafe('VACUUM ANALYZE pets');

async function measure(seconds: number): Promise<Omit<Measured, 'generatorLoad' | 'failed'>> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const worker = async (): Promise<void> => {
    for (let now = performance.now(); now < end; ) {
      const after = Math.floor(Math.random() * pets.length);
      await sql`
        SELECT id, name, category_id, status FROM pets
        WHERE status = 'available' AND id > ${after} ORDER BY id LIMIT 21`;
      const received = performance.now();
      latencies.push(received - now);
      now = received;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const took = performance.now() - startedAt;
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
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
