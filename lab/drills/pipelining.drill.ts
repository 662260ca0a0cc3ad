/**
 * Pipelined reads, which a client sends without waiting for responses, all get a response while requests are not batched.
 * A drill, because a busy machine delays the service so much that requests pile up, and are batched.
 */
import { expect, test } from 'bun:test';
import { Connection } from '../../test/process/connection.ts';
import { inWorkplace, startService, withService } from '../../test/support/process.ts';

const PAIRS = 1_000;

const readRequest = (key: string): string =>
  `GET /v1/pets?limit=5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

test(
  `of ${PAIRS} pairs of pipelined reads, none is closed on an idle server, even after batched requests (on a quiet machine)`,
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async ({ origin, firstKey = '' }) => {
      const read = readRequest(firstKey);
      let isOver = false;
      const clients = Array.from({ length: 40 }, () => readInTurn(origin, read, () => isOver));
      // Pipelined reads are closed as soon as requests are batched.
      while (await isPairServed(origin, read));
      isOver = true;
      expect(Math.min(...(await Promise.all(clients)))).toBeGreaterThan(0);
      await Bun.sleep(50);
      expect(await countClosed(origin, read)).toBe(0);
    });
  }),
);

test(
  `of ${PAIRS} pairs of pipelined reads, none is closed beside eight clients that wait for each response (on a quiet machine)`,
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async ({ origin, firstKey = '' }) => {
      const read = readRequest(firstKey);
      let isOver = false;
      const clients = Array.from({ length: 8 }, () => readInTurn(origin, read, () => isOver));
      const closed = await countClosed(origin, read);
      isOver = true;
      expect(Math.min(...(await Promise.all(clients)))).toBeGreaterThan(0);
      expect(closed).toBe(0);
    });
  }),
);

/** Sends two reads in one segment on their own connection. Returns whether both get a response. */
async function isPairServed(origin: string, read: string): Promise<boolean> {
  const connection = await Connection.open(origin);
  connection?.send(read + read);
  const statuses = [await connection?.response(), await connection?.response()];
  connection?.close();
  return statuses.every((response) => response?.status === 200);
}

async function countClosed(origin: string, read: string): Promise<number> {
  let closed = 0;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (!(await isPairServed(origin, read))) closed += 1;
  }
  return closed;
}

/** Reads until `isOver`, waiting for each response. Returns the number of responses. */
async function readInTurn(origin: string, read: string, isOver: () => boolean): Promise<number> {
  const connection = await Connection.open(origin);
  let responses = 0;
  while (!isOver()) {
    connection?.send(read);
    if ((await connection?.response())?.status === 200) responses += 1;
  }
  connection?.close();
  return responses;
}
