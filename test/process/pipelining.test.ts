/** Reads that a client sends on one connection without waiting (pipelining): a server without a crowd answers them all. */
import { expect, test } from 'bun:test';
import { inWorkplace, startService, TEST_LIMIT_MS, withService } from '../support/process.ts';
import { Connection } from './connection.ts';

const PAIRS = 1_000;

const readRequest = (key: string): string =>
  `GET /v1/pets?limit=5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

/** Sends two reads in one segment on a connection of their own; resolves with whether both were answered. */
async function pairIsAnswered(origin: string, read: string): Promise<boolean> {
  const connection = await Connection.open(origin);
  connection?.send(read + read);
  const statuses = [await connection?.answer(), await connection?.answer()];
  connection?.close();
  return statuses.every((answer) => answer?.status === 200);
}

async function countClosed(origin: string, read: string): Promise<number> {
  let closed = 0;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    if (!(await pairIsAnswered(origin, read))) closed += 1;
  }
  return closed;
}

/** Reads one after the other, waiting for each answer, until `isOver`. */
async function readInTurn(origin: string, read: string, isOver: () => boolean): Promise<number> {
  const connection = await Connection.open(origin);
  let answers = 0;
  while (!isOver()) {
    connection?.send(read);
    if ((await connection?.answer())?.status === 200) answers += 1;
  }
  connection?.close();
  return answers;
}

test(
  `of ${PAIRS} pairs of pipelined reads none is closed on an idle server, also after a crowd`,
  inWorkplace(async ({ database }) => {
    await withService(await startService(database), async ({ origin, firstKey = '' }) => {
      const read = readRequest(firstKey);
      let crowdIsOver = false;
      const crowd = Array.from({ length: 40 }, () => readInTurn(origin, read, () => crowdIsOver));
      // The sign of a crowd: pipelined reads are closed.
      while (await pairIsAnswered(origin, read));
      crowdIsOver = true;
      expect(Math.min(...(await Promise.all(crowd)))).toBeGreaterThan(0);
      await Bun.sleep(50);
      expect(await countClosed(origin, read)).toBe(0);
    });
  }),
  TEST_LIMIT_MS,
);

test(
  `of ${PAIRS} pairs of pipelined reads none is closed beside eight clients that wait for each answer`,
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
  TEST_LIMIT_MS,
);
