/** Pipelined reads beside other clients. A drill, since a busy machine delays the service so much that requests pile up. */
import { expect, test } from 'bun:test';
import { countClosed, PAIRS, readInTurn, readRequest } from '../process/pipelined-reads.ts';
import { inWorkplace, startService, TEST_LIMIT_MS, withService } from '../support/process.ts';

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
  TEST_LIMIT_MS,
);
