/** Pipelined reads, which a client sends without waiting for responses, all get a response while requests are not batched. */
import { expect, test } from 'bun:test';
import { inWorkplace, startService, TEST_LIMIT_MS, withService } from '../support/process.ts';
import { countClosed, isPairServed, PAIRS, readInTurn, readRequest } from './pipelined-reads.ts';

test(
  `of ${PAIRS} pairs of pipelined reads, none is closed on an idle server, even after batched requests`,
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
  TEST_LIMIT_MS,
);
