/** Proxies keep idle connections to a server: the service must not be the first to close them. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, newPetRequest } from '../../test/process/connection.ts';
import { metricsUrl } from '../../test/support/metrics.ts';
import { commandOf, inWorkplace, startCommand, withService } from '../../test/support/process.ts';

/** Caddy's limit, the longest of those that `MIN_IDLE_TIMEOUT_SECONDS` of the service names. */
const IDLE_MS = 120_000;

test(
  'a request on a connection that was idle for 120 s gets a response, a scrape too, and the service closes an unused connection before 130 s',
  inWorkplace(async ({ database }) => {
    const flags = ['--database', database, '--port', '0', '--metrics-port', '0'];
    const service = await startCommand(commandOf('serve', ...flags), { limitMs: 300_000 });
    await withService(service, async ({ origin, firstKey = '' }) => {
      const scraping = await Connection.open(metricsUrl(service));
      const scrape = async (): Promise<number | undefined> => {
        scraping?.send('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
        return (await scraping?.response())?.status;
      };
      expect(await scrape()).toBe(200);
      const connections = [await Connection.open(origin), await Connection.open(origin)] as const;
      const send = async (connection: Connection | undefined): Promise<number | undefined> => {
        connection?.send(newPetRequest(firstKey, 'Rex'));
        return (await connection?.response())?.status;
      };
      expect(await Promise.all(connections.map(send))).toEqual([201, 201]);
      const [used, unused] = connections;
      await sleep(IDLE_MS);
      expect(await send(used)).toBe(201);
      expect(await scrape()).toBe(200);
      await sleep(10_000);
      expect([used?.isClosed, unused?.isClosed]).toEqual([false, true]);
    });
  }),
);
