import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KillRound, killRound, roundWith } from '../process/kill-round.ts';
import { startService } from '../support/process.ts';
import type { Outcome, Trial } from './trial.ts';

const ROUNDS = 100;

const problemsOf = ({ lost, duplicateIds, refused, integrity }: KillRound): string[] => [
  ...(lost.length > 0 ? [`${lost.length} acknowledged animals are missing`] : []),
  ...(duplicateIds.length > 0 ? [`ids twice: ${duplicateIds}`] : []),
  ...(refused > 0 ? [`${refused} additions were refused`] : []),
  ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
];

/** A kill after which the WAL is gone: all that is not in the database file yet. */
const killWithoutWal = (): Promise<KillRound> => {
  let path = '';
  return roundWith(
    (database) => {
      path = database;
      return startService(database, ['--log-level', 'error']);
    },
    async (service) => {
      await sleep(100);
      service.signal('SIGKILL');
      await service.ended();
      rmSync(`${path}-wal`);
    },
  );
};

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
    const control = problemsOf(await killWithoutWal());
    return {
      trials: ROUNDS,
      failures,
      control: { fault: 'the WAL is deleted after the kill', isFound: control.length > 0 },
      figures: { 'acknowledged animals': acknowledged },
    };
  },
};
