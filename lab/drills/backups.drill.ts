/** Backups under load, each restored; restores that are killed. */
import { expect, test } from 'bun:test';
import { rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { addAnimals, maintain, maintained, namesIn } from '../../test/process/maintained.ts';
import { createKey } from '../../test/support/create-key.ts';
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  bearer,
  commandOf,
  inWorkplace,
  startCommand,
  startService,
  type Workplace,
  withService,
  workplace,
} from '../../test/support/process.ts';
import { type PacedAdditions, quantile, startAdditions } from './paced-additions.ts';

const DRILL_LIMIT_MS = 900_000;
const BACKUPS = Number(process.env['DRILL_BACKUPS'] ?? 20);
const PER_SECOND = 500;
const QUIET_MS = 20_000;
const KILLED_RESTORES = 30;

/** The number of animals before the drill. DRILL_ANIMALS and DRILL_BACKUPS set other numbers. */
const ANIMALS = Number(process.env['DRILL_ANIMALS'] ?? 100_000);

/** Runs a command without a time limit: a large catalogue takes long. */
const unlimited = (database: string, ...args: readonly string[]): Promise<string> =>
  Bun.$`${commandOf(...args, '--database', database)}`.quiet().text();

const p99 = (durations: readonly number[]): string => `${quantile(durations, 0.99).toFixed(0)} ms`;

/** Backs up under load, restores the backup into a fresh place, and compares. Returns the figures of the backup. */
async function backUpAndRestore({ database, file }: Workplace, key: string, load: PacedAdditions) {
  const before = [...load.acknowledged];
  const startMs = Date.now();
  let walBytes = 0;
  const timer = setInterval(() => {
    walBytes = Math.max(walBytes, statSync(`${database}-wal`).size);
  }, 20);
  const { bytes } = JSON.parse(
    await unlimited(database, 'backup', file('a.db'), '--replace', '--json'),
  );
  clearInterval(timer);
  const endMs = Date.now();
  using fresh = workplace();
  await unlimited(fresh.database, 'restore', file('a.db'));
  expect(await unlimited(fresh.database, 'check')).toBe('No faults were found.\n');
  const names = namesIn(fresh.database);
  expect(before.filter(([name, id]) => names.get(id) !== name)).toEqual([]);
  await withService(await startService(fresh.database), async ({ origin }) => {
    expect((await fetch(`${origin}/v1/pets/1`, bearer(key))).status).toBe(200);
  });
  return { startMs, endMs, bytes: bytes as number, walBytes };
}

test(
  `${BACKUPS} backups under ${PER_SECOND} additions a second are sound, contain what was acknowledged before, and serve with the same keys`,
  inWorkplace(async (place) => {
    await addAnimals(place.database, ANIMALS);
    const key = await createKey(place.database);
    const serve = commandOf('serve', '--database', place.database, '--port', '0');
    const service = await startCommand(serve, { showsKey: false, limitMs: DRILL_LIMIT_MS });
    await withService(service, async ({ origin }) => {
      const load = await startAdditions({ origin, key }, PER_SECOND);
      const quietMs = Date.now() + 2_000;
      await sleep(QUIET_MS + 2_000);
      const quiet = load.additions.filter(({ dueMs }) => dueMs > quietMs);
      const backups: Awaited<ReturnType<typeof backUpAndRestore>>[] = [];
      for (let round = 0; round < BACKUPS; round += 1)
        backups.push(await backUpAndRestore(place, key, load));
      await load.stop();
      expect(load.failures()).toBe(0);
      const during = load.additions.filter(({ dueMs }) =>
        backups.some(({ startMs, endMs }) => dueMs >= startMs && dueMs <= endMs),
      );
      const seconds = backups.map(({ startMs, endMs }) => (endMs - startMs) / 1_000);
      const largest = Math.max(...backups.map(({ walBytes }) => walBytes));
      console.log(
        `${ANIMALS} animals, then ${load.acknowledged.size} added; last backup ${backups.at(-1)?.bytes} bytes; ` +
          `seconds for a backup: median ${quantile(seconds, 0.5).toFixed(2)}, longest ${Math.max(...seconds).toFixed(2)}; ` +
          `WAL at most ${largest} bytes; p99 of additions: ${p99(quiet.map(({ durationMs }) => durationMs))} without a backup ` +
          `(${quiet.length}), ${p99(during.map(({ durationMs }) => durationMs))} during one (${during.length})`,
      );
    });
  }),
  DRILL_LIMIT_MS,
);

test(
  `a restore that is killed leaves a whole catalogue, or a refusal in words, and can be repeated (${KILLED_RESTORES} rounds)`,
  inWorkplace(async ({ database, file, files }) => {
    for (const [name, count] of [
      ['old', 10_000],
      ['new', 20_000],
    ] as const) {
      await addAnimals(file(`${name}.db`), count);
      await maintained(file(`${name}.db`), 'backup', file(`${name}.backup`));
    }
    const startMs = Date.now();
    await maintained(database, 'restore', file('new.backup'));
    const durationMs = Date.now() - startMs;
    const outcomes = new Map<string, number>();
    for (let round = 0; round < KILLED_RESTORES; round += 1) {
      await maintained(database, 'restore', file('old.backup'));
      const child = spawnGuarded(commandOf('restore', file('new.backup'), '--database', database), {
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      await sleep(durationMs * (0.3 + Math.random()));
      child.kill('SIGKILL');
      await child.exited;
      const { status, stdout, stderr } = await maintain(database, 'status', '--json');
      const outcome =
        status === 0 ? `${JSON.parse(stdout).contents.pets.available} animals` : stderr.trim();
      expect(outcome).toMatch(
        /^(10000|20000) animals$|^animal-store: A restore of .* is running or was interrupted/,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await maintained(database, 'restore', file('new.backup'));
      expect(await maintained(database, 'check')).toBe('No faults were found.\n');
      for (const name of files().filter((one) => /-replaced-|-unfinished/.test(one)))
        rmSync(file(name));
    }
    console.log(Object.fromEntries(outcomes));
  }),
  DRILL_LIMIT_MS,
);
