/** When the supervisor starts a worker again. The workers are real processes. */
import { expect, test } from 'bun:test';
import { Supervisor } from '../../src/server/supervisor.ts';
import { LISTENING, REPLACE } from '../../src/server/worker-messages.ts';
import { workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

const workerUntil = (path: string): string => `
  process.send(${JSON.stringify(LISTENING)});
  setInterval(() => require('node:fs').existsSync(${JSON.stringify(path)}) && process.exit(1), 5);
`;

test('a stop during the pause before a crashed worker is started again starts no worker', async () => {
  const { file, write } = place;
  const first = [process.execPath, '-e', workerUntil(file('end'))];
  let [starts, exits] = [0, 0];
  const { promise: isPausing, resolve: pauses } = Promise.withResolvers<void>();
  const supervisor = new Supervisor(
    () => {
      starts += 1;
      return starts === 1 ? first : ['false'];
    },
    ({ kind }) => {
      if (kind === 'worker_exited') exits += 1;
      // The first replacement starts immediately. When this turn of the event loop ends, the pause has begun.
      if (exits === 3) setImmediate(pauses);
    },
    undefined,
    () => 0, // On a slow machine, too, each worker crashes soon after its start.
  );
  expect(await supervisor.start(1)).toBe(true);
  await write('end', '');
  await isPausing;
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
  expect(starts).toBe(3);
});

test('crashes before and after a worker that ran for long are not in a row, so no pause follows', async () => {
  const { file, write } = place;
  const first = [process.execPath, '-e', workerUntil(file('end'))];
  const UPTIMES_MS = [0, 5_000, 0];
  let [starts, exits, nowMs] = [0, 0, 0];
  const { promise: hasReacted, resolve: reacted } = Promise.withResolvers<void>();
  const supervisor = new Supervisor(
    () => {
      starts += 1;
      return starts === 1 ? first : ['false'];
    },
    ({ kind }) => {
      if (kind !== 'worker_exited') return;
      nowMs += UPTIMES_MS[exits] ?? 0;
      exits += 1;
      // Without a pause, the next worker starts in this turn of the event loop.
      if (exits === UPTIMES_MS.length) setImmediate(reacted);
    },
    undefined,
    () => nowMs,
  );
  expect(await supervisor.start(1)).toBe(true);
  await write('end', '');
  await hasReacted;
  const startsAfterCrashes = starts;
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
  expect(startsAfterCrashes).toBe(UPTIMES_MS.length + 1);
});

test('a process that the system cannot start is a failed start: other workers continue, and it is tried again', async () => {
  const { file, write } = place;
  const commands = [
    [process.execPath, '-e', workerUntil(file('end'))],
    [process.execPath, '-e', workerUntil(file('end of the other'))],
    [file('no program')],
    [file('no program')],
    [process.execPath, '-e', workerUntil(file('end of the successor'))],
  ];
  const { promise: isTriedAgain, resolve: triedAgain } = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  let starts = 0;
  const supervisor = new Supervisor(
    () => {
      starts += 1;
      if (starts === commands.length) setImmediate(triedAgain);
      return commands[starts - 1] ?? ['false'];
    },
    (observation) => seen.push(observation),
  );
  expect(await supervisor.start(2)).toBe(true);
  await write('end', '');
  await isTriedAgain;
  supervisor.kill();
  const failed = { kind: 'worker_replacement_failed', error: { code: 'ENOENT' } };
  expect(seen).toMatchObject([{ kind: 'worker_exited' }, failed, failed]);
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
});

test('a worker whose successor the system cannot start continues', async () => {
  const { file, write } = place;
  const first = `${workerUntil(file('end'))} process.send(${JSON.stringify(REPLACE)});`;
  const { promise: hasFailed, resolve: failed } = Promise.withResolvers<void>();
  const seen: string[] = [];
  let starts = 0;
  const supervisor = new Supervisor(
    () => {
      starts += 1;
      return starts === 1 ? [process.execPath, '-e', first] : [file('no program')];
    },
    ({ kind }) => {
      seen.push(kind);
      failed();
    },
  );
  expect(await supervisor.start(1)).toBe(true);
  await hasFailed;
  expect(seen).toEqual(['worker_replacement_failed']);
  supervisor.stop('SIGTERM');
  await write('end', '');
  await supervisor.stopped();
  expect(seen).toEqual(['worker_replacement_failed', 'worker_exited']);
});
