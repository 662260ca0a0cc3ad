/** What happens when the service reaches the limit of memory that the units of deploy/systemd set (MemoryMax). */
import { expect, test } from 'bun:test';
import { roundWith } from '../process/kill-round.ts';
import {
  bearer,
  commandOf,
  parseLog,
  type RunningService,
  startCommand,
  until,
} from '../support/process.ts';
import { type MemoryGroup, memoryGroup } from './memory-group.ts';

/** Enough for a start and for small requests, and less than large requests need. */
const LIMIT_BYTES = 110 * 2 ** 20;
const LIMIT_OF_WORKERS_BYTES = 160 * 2 ** 20;
const LARGE = JSON.stringify({ name: 'x'.repeat(1_000_000), categoryId: 1 });
const SENDERS = 100;

/** Sends bodies of 1 MB, which the service refuses, until the kernel kills a process. */
async function exhaust(group: MemoryGroup, service: RunningService, key: string): Promise<void> {
  let hasEnded = false;
  void service.ended().then(() => {
    hasEnded = true;
  });
  const send = async () => {
    while (group.kills() === 0 && !hasEnded) {
      const headers = { ...bearer(key).headers, 'Content-Type': 'application/json' };
      const request = fetch(`${service.origin}/v1/pets`, { method: 'POST', headers, body: LARGE });
      await request.then((response) => response.text()).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

const probe = memoryGroup(LIMIT_BYTES);
probe?.remove();

const serveIn = (group: MemoryGroup, database: string, ...flags: readonly string[]) => {
  const serve = commandOf('serve', '--database', database, '--port', '0', ...flags);
  return startCommand(group.command(serve), { limitMs: 60_000 });
};

test.skipIf(probe === undefined)(
  'a service that reaches its limit of memory is killed, and no acknowledged animal is lost (needs a control group)',
  async () => {
    const group = memoryGroup(LIMIT_BYTES);
    if (group === undefined) throw new Error('There is no control group.');
    try {
      const { acknowledged, ...rest } = await roundWith(
        (database) => serveIn(group, database),
        async (service, key) => {
          await exhaust(group, service, key);
          await service.ended();
        },
      );
      expect(group.kills()).toBe(1);
      expect(acknowledged).toBeGreaterThan(0);
      expect(rest).toEqual({ lost: [], duplicateIds: [], refused: 0, integrity: 'ok' });
    } finally {
      group.remove();
    }
  },
);

test.skipIf(probe === undefined)(
  'a worker that reaches the limit is replaced, and no acknowledged animal is lost (needs a control group)',
  async () => {
    const group = memoryGroup(LIMIT_OF_WORKERS_BYTES);
    if (group === undefined) throw new Error('There is no control group.');
    try {
      let log = '';
      const { acknowledged, ...rest } = await roundWith(
        (database) => serveIn(group, database, '--workers', '2'),
        async (service, key) => {
          await exhaust(group, service, key);
          await until(
            async () =>
              (await fetch(`${service.origin}/readyz`).catch(() => undefined))?.status === 200,
          );
          log = (await service.stop()).stdout;
        },
      );
      const exits = parseLog(log).filter((line) => line['event.name'] === 'worker_exited');
      const killed = exits.filter((line) => line['animal_store.process.signal'] === 'SIGKILL');
      expect(killed.length).toBe(group.kills());
      expect(acknowledged).toBeGreaterThan(0);
      expect(rest).toEqual({ lost: [], duplicateIds: [], refused: 0, integrity: 'ok' });
    } finally {
      group.remove();
    }
  },
);
