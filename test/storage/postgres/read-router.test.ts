import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Value } from '../../../src/storage/postgres/connections/connection.ts';
import { type Deadline, deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { SharedPool } from '../../../src/storage/postgres/connections/pools.ts';
import { Standby } from '../../../src/storage/postgres/connections/standby.ts';
import { ReadRouter } from '../../../src/storage/postgres/transactions/read-router.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { until } from '../../support/process.ts';
import { useEach } from '../../support/use-each.ts';
import { gate, openMigratedScratch } from './scratch.ts';

const TIMEOUT_MS = 15_000;
const OPTIONS = { prepared: true, serverTimeoutMs: TIMEOUT_MS };

let primary: PostgresServer;
let standby: Awaited<ReturnType<PostgresServer['startStandby']>>;
beforeAll(async () => {
  primary = await startPostgres({ settings: { synchronous_commit: 'on' } });
  standby = await primary.startStandby();
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
});

const scratch = useEach(() => openMigratedScratch(primary));

/** A pool whose first result is on its way until `deliver` is called. */
class SlowPool extends SharedPool {
  readonly #sent = gate();
  readonly #delivered = gate();
  /** Resolves when the server has sent the first result. */
  readonly sent = this.#sent.opened;
  readonly deliver = this.#delivered.open;

  override async query<Row>(text: string, values: readonly Value[], deadline: Deadline) {
    const rows = await super.query<Row>(text, values, deadline);
    this.#sent.open();
    await this.#delivered.opened;
    return rows;
  }
}

test('a read that starts after a commit sees it, even while an earlier read waits for the WAL position', async () => {
  await scratch.sql`CREATE TABLE public.animals AS SELECT 'old' AS name`;
  await standby.catchUp();
  await standby.sql`SELECT pg_wal_replay_pause()`;
  await until(async () => {
    const [row] = await standby.sql`SELECT pg_get_wal_replay_pause_state() AS state`;
    return row?.['state'] === 'paused';
  });
  const pool = new SlowPool({ ...OPTIONS, url: scratch.url }, 2);
  const standbyUrl = standby.url(scratch.name);
  const standbyPool = new SharedPool({ ...OPTIONS, url: standbyUrl }, 2);
  const router = new ReadRouter(pool, [new Standby(standbyPool, standbyUrl, () => {})], TIMEOUT_MS);
  const readName = async () =>
    (await router.run<{ name: string }>('SELECT name FROM public.animals'))[0]?.name;
  try {
    const earlier = readName();
    await pool.sent;
    await scratch.sql`UPDATE public.animals SET name = 'new'`;
    const later = readName();
    pool.deliver();
    expect(await later).toBe('new');
    await earlier;
  } finally {
    await standby.sql`SELECT pg_wal_replay_resume()`;
    await Promise.all([pool, standbyPool].map((one) => one.end(deadlineIn(TIMEOUT_MS))));
  }
});
