import { rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KillRound, killRound, roundWith } from '../process/kill-round.ts';
import { startService, until } from '../support/process.ts';
import type { Random } from '../support/random.ts';
import type { Outcome, Trial } from './trial.ts';

const ROUNDS = 100;

/** The size of a database file whose contents are all in the WAL. */
const EMPTY_BYTES = 4_096;

const problemsOf = ({ lost, duplicateIds, refused, integrity }: KillRound): string[] => [
  ...(lost.length > 0 ? [`${lost.length} acknowledged animals are missing`] : []),
  ...(duplicateIds.length > 0 ? [`ids twice: ${duplicateIds}`] : []),
  ...(refused > 0 ? [`${refused} additions were refused`] : []),
  ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
];

/** A kill some time after the first checkpoint, after which the WAL is gone. */
const killWithoutWal = (random: Random): Promise<KillRound> => {
  let path = '';
  return roundWith(
    (database) => {
      path = database;
      return startService(database, ['--log-level', 'error']);
    },
    async (service) => {
      await until(() => statSync(path).size > EMPTY_BYTES);
      await sleep(random() * 50);
      service.signal('SIGKILL');
      await service.ended();
      rmSync(`${path}-wal`);
    },
  );
};

/** Whether a kill without WAL loses animals. Right after a checkpoint it may lose nothing. */
async function losesWithoutWal(random: Random): Promise<boolean> {
  for (let round = 0; round < 10; round += 1) {
    if (problemsOf(await killWithoutWal(random)).length > 0) return true;
  }
  return false;
}

/** `kill -9` of the service under load, on SQLite. */
export const KILLS: Trial = {
  promise: 'An animal with response 201 survives `kill -9`.',
  method:
    '64 connections add animals. The service is killed at a random time within half a second, and started again on the same file. Each acknowledged animal must be there with its id, no id twice, and the file must be sound.',
  unit: 'kills',
  tools: [],
  limitMinutes: 20,
  async run({ random, report }): Promise<Outcome> {
    const failures: string[] = [];
    let acknowledged = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const outcome = await killRound(random);
      acknowledged += outcome.acknowledged;
      failures.push(...problemsOf(outcome).map((problem) => `kill ${round}: ${problem}`));
      if (round % 10 === 0) report(`${round} kills, ${failures.length} failures`);
    }
    const isFound = await losesWithoutWal(random);
    return {
      trials: ROUNDS,
      failures,
      control: { fault: 'the WAL is deleted after the kill', isFound },
      figures: { 'acknowledged animals': acknowledged },
    };
  },
};
