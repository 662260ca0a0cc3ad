/** When the supervisor starts a worker again. The workers are real processes. */
import { expect, test } from 'bun:test';
import type { Observation } from '../../src/observe/observation.ts';
import { Supervisor } from '../../src/server/supervisor.ts';
import { LISTENING, REPLACE, REPLACED } from '../../src/server/worker-messages.ts';
import { until, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

const workerUntil = (path: string): string => `
  process.send(${JSON.stringify(LISTENING)});
  process.on('disconnect', process.exit); // The workers of a failed test end with it.
  setInterval(() => require('node:fs').existsSync(${JSON.stringify(path)}) && process.exit(1), 5);
`;

/** A supervisor that starts these commands in turn, and the last one from then on. */
function createSupervisor(
  commands: readonly (readonly string[])[],
  observe: (exits: number) => void = () => {},
  now?: () => number,
) {
  const seen: Observation[] = [];
  const exits = () => seen.filter(({ kind }) => kind === 'worker_exited').length;
  let starts = 0;
  const supervisor = new Supervisor(
    () => [...(commands[Math.min(starts++, commands.length - 1)] ?? [])],
    (observation) => {
      seen.push(observation);
      observe(exits());
    },
    undefined,
    now,
  );
  return { supervisor, seen, starts: () => starts };
}

const run = (program: string): string[] => [process.execPath, '-e', program];

test('a stop during the pause before a crashed worker is started again starts no worker', async () => {
  const { promise: isPausing, resolve: pauses } = Promise.withResolvers<void>();
  const { supervisor, starts } = createSupervisor(
    [run(workerUntil(place.file('end'))), ['false']],
    (exits) => {
      // The first replacement starts immediately. When this turn of the event loop ends, the pause has begun.
      if (exits === 3) setImmediate(pauses);
    },
    () => 0, // On a slow machine, too, each worker crashes soon after its start.
  );
  expect(await supervisor.start(1)).toBe(true);
  await place.write('end', '');
  await isPausing;
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
  expect(starts()).toBe(3);
});

test('crashes before and after a worker that ran for long are not in a row, so no pause follows', async () => {
  const { promise: hasReacted, resolve: reacted } = Promise.withResolvers<void>();
  let nowMs = 0;
  const { supervisor, starts } = createSupervisor(
    [run(workerUntil(place.file('end'))), ['false']],
    (exits) => {
      // The second one has run for long.
      if (exits === 2) nowMs += 5_000;
      // Without a pause, the next worker starts in this turn of the event loop.
      if (exits === 3) setImmediate(reacted);
    },
    () => nowMs,
  );
  expect(await supervisor.start(1)).toBe(true);
  await place.write('end', '');
  await hasReacted;
  const startsAfterCrashes = starts();
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
  expect(startsAfterCrashes).toBe(4);
});

test('a process that the system cannot start is a failed start: other workers continue, and it is tried again', async () => {
  const { file, write } = place;
  const { supervisor, seen, starts } = createSupervisor([
    run(workerUntil(file('end'))),
    run(workerUntil(file('end of the other'))),
    [file('no program')],
    [file('no program')],
    run(workerUntil(file('end of the successor'))),
  ]);
  expect(await supervisor.start(2)).toBe(true);
  await write('end', '');
  await until(() => starts() === 5);
  supervisor.kill();
  const failed = { kind: 'worker_replacement_failed', error: { code: 'ENOENT' } };
  expect(seen).toMatchObject([{ kind: 'worker_exited' }, failed, failed]);
  supervisor.stop('SIGTERM');
  await supervisor.stopped();
});

test('a worker whose successor the system cannot start continues', async () => {
  const { file, write } = place;
  const first = `${workerUntil(file('end'))} process.send(${JSON.stringify(REPLACE)});
    process.on('message', (it) => it === ${JSON.stringify(REPLACED)} && process.exit(2));`;
  const { promise: hasFailed, resolve: failed } = Promise.withResolvers<void>();
  const { supervisor, seen } = createSupervisor([run(first), [file('no program')]], () => failed());
  expect(await supervisor.start(1)).toBe(true);
  await hasFailed;
  expect(seen).toMatchObject([{ kind: 'worker_replacement_failed' }]);
  supervisor.stop('SIGTERM');
  await write('end', '');
  await supervisor.stopped();
  const ended = { kind: 'worker_exited', exitCode: 1 };
  expect(seen).toMatchObject([{ kind: 'worker_replacement_failed' }, ended]);
});
