/** The alerts that warn before clients notice anything, or when few do. */
import { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { maintained } from '../../test/process/maintained.ts';
import { openScratch } from '../../test/storage/postgres/scratch.ts';
import { scrape } from '../../test/support/metrics.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import {
  bearer,
  commandOf,
  inWorkplace,
  postPet,
  type RunningService,
  startCommand,
  startService,
  until,
  withService,
} from '../../test/support/process.ts';
import type { AlertCauses } from './alert-causes.ts';
import { add } from './alert-faults.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const METRICS = ['--metrics-port', '0'];

const onSqlite = (work: (service: RunningService, path: string) => Promise<void>) =>
  inWorkplace(async ({ database }) => {
    const service = await startService(database, METRICS);
    await withService(service, (running) => work(running, database));
  });

/** Longer than a bucket of the histogram. */
const SLOW_MS = 1_050;

/** Adds an animal while another process holds the write lock. */
async function addLocked({ origin, firstKey = '' }: RunningService, path: string): Promise<void> {
  const holder = new Sqlite(path);
  holder.run('BEGIN IMMEDIATE');
  const added = postPet(origin, firstKey, { name: 'Rex', categoryId: 1 });
  await Bun.sleep(SLOW_MS);
  holder.run('COMMIT');
  holder.close(true);
  expect((await added).status).toBe(201);
}

/** Creates an API key that expires after some days. */
const createKey = ({ origin, firstKey = '' }: RunningService, days: number) =>
  fetch(`${origin}/v1/api-keys`, {
    method: 'POST',
    headers: { ...bearer(firstKey).headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      name: 'till',
      scopes: ['pets:read'],
      expiresAt: new Date(Date.now() + days * DAY_MS).toISOString(),
    }),
  });

/** Sends requests until lines are dropped: more than the memory for lines that wait can take. */
async function fillLog(service: RunningService): Promise<void> {
  const headers = { 'X-Request-Id': 'x'.repeat(128) };
  const request = () => fetch(`${service.origin}/missing`, { headers });
  while ((await scrape(service)).sum('animal_store_log_lines_dropped_total') === 0)
    await Promise.all(Array.from({ length: 250 }, request));
}

export function testWarnings(cause: AlertCauses['cause']): void {
  describe('a warning', () => {
    const warning = (what: string, work: () => Promise<void>) => test(what, work);
    warning(
      'of requests that take over a second',
      onSqlite((service, path) =>
        cause(['AnimalStoreSlow'], service, () => addLocked(service, path)),
      ),
    );

    warning(
      'of an API key that expires within 14 days',
      onSqlite(async (service) => {
        await createKey(service, 15);
        await cause(['AnimalStoreApiKeyExpires'], service, () => createKey(service, 13));
      }),
    );

    warning(
      'of two days without a backup',
      inWorkplace(async ({ database, file }) => {
        const service = await startService(database, METRICS);
        await maintained(database, 'backup', file('a.db'));
        await withService(service, (running) =>
          cause(
            ['AnimalStoreBackupMissing'],
            running,
            () => {},
            undefined,
            (2 * DAY_MS) / 1_000 + 1,
          ),
        );
      }),
    );

    warning('of a feed whose lock an open transaction holds', async () => {
      const own = await openScratch();
      const holder = await own.sql.reserve();
      await withService(await startService(own.url, METRICS), async (service) => {
        await holder`BEGIN`;
        await holder`SELECT 1 FROM animal_store.event_feed FOR UPDATE`;
        await cause(['AnimalStoreFeedBehind'], service, async () => {
          await add(service);
          await own.sql`UPDATE animal_store.outbox SET at = at - 61000`;
        });
        await holder`ROLLBACK`;
      });
      holder.release();
      await own.remove();
    });

    warning(
      'of webhooks that are late, and of an endpoint that is disabled',
      onSqlite(async (service, path) => {
        await cause(['AnimalStoreWebhooksBehind', 'AnimalStoreWebhookDisabled'], service, () => {
          const other = new Sqlite(path);
          other.run(`INSERT INTO webhook_endpoints VALUES (1, 'https://shop.test/', NULL, 'enabled', NULL, 0, NULL, 0),
            (2, 'https://shop.test/', NULL, 'disabled', 'gone', 0, NULL, 0)`);
          other.run(
            `INSERT INTO webhook_deliveries VALUES (1, 1, 1, 'pending', 0, 1, 0, NULL, NULL, NULL, NULL)`,
          );
          other.close(true);
        });
      }),
    );

    warning(
      'of a log that cannot be written',
      inWorkplace(async ({ database }) => {
        const command = commandOf('serve', '--port', '0', '--database', database, ...METRICS);
        const shell = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
        await withService(await startCommand([...shell, ...command]), (service) =>
          cause(['AnimalStoreLogLinesDropped'], service, () => fillLog(service)),
        );
      }),
    );

    warning('of a standby that cannot be reached', async () => {
      const primary = await startPostgres();
      const standby = await primary.startStandby();
      const name = await primary.createDatabase();
      const flags = [...METRICS, '--database-standby-urls', standby.url(name)];
      await withService(await startService(primary.url(name), flags), async (service) => {
        // It may lag behind the migrations at first.
        const leftOut = async () => (await scrape(service)).sum('animal_store_standbys_left_out');
        await until(async () => (await leftOut()) === 0);
        await cause(['AnimalStoreStandbyLeftOut'], service, () => standby.kill());
      });
      await standby.remove();
      await primary.remove();
    });
  });
}
