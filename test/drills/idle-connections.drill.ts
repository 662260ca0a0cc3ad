/** Proxies keep idle connections to a server: the service must not be the first to close them. */
import { expect, test } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, newPetRequest } from '../process/connection.ts';
import { commandOf, inWorkplace, startCommand, withService } from '../support/process.ts';

/** Caddy's limit, the longest of those that `MIN_IDLE_TIMEOUT_SECONDS` of the service names. */
const IDLE_MS = 120_000;

test(
  'a request on a connection that was idle for 120 s gets a response, and the service closes it before 130 s',
  inWorkplace(async ({ database }) => {
    const service = await startCommand(commandOf('serve', '--database', database, '--port', '0'), {
      limitMs: 300_000,
    });
    await withService(service, async ({ origin, firstKey = '' }) => {
      const connections = [await Connection.open(origin), await Connection.open(origin)] as const;
      const send = async (connection: Connection | undefined): Promise<number | undefined> => {
        connection?.send(newPetRequest(firstKey, 'Rex'));
        return (await connection?.response())?.status;
      };
      expect(await Promise.all(connections.map(send))).toEqual([201, 201]);
      const [used, unused] = connections;
      await sleep(IDLE_MS);
      expect(await send(used)).toBe(201);
      await sleep(10_000);
      expect([used?.isClosed, unused?.isClosed]).toEqual([false, true]);
    });
  }),
);
