import { FAULTS } from './faults.ts';
import { faultRound, type Outcome } from './round.ts';
import { CONNECTIONS, REQUEST_TIMEOUT_MS } from './stage.ts';

type Round = (random: () => number) => Promise<Outcome>;

/** A round for each fault; in those that are retried, each animal is sent until it is acknowledged. */
export const ROUNDS: Readonly<Record<string, Round>> = {
  'killed-primary': (random) => faultRound(FAULTS.killedPrimary, random),
  'killed-primary-retried': (random) =>
    faultRound(FAULTS.killedPrimary, random, { retrying: true }),
  'promoted-standby': (random) => faultRound(FAULTS.promotedStandby, random),
  'cut-connections': (random) => faultRound(FAULTS.cutConnections, random),
  'cut-connections-retried': (random) =>
    faultRound(FAULTS.cutConnections, random, { retrying: true }),
  'black-hole': (random) => faultRound(FAULTS.blackHole, random),
  'exhausted-pool': (random) => faultRound(FAULTS.exhaustedPool, random),
  'full-server': (random) => faultRound(FAULTS.fullServer, random),
  'read-only-role': (random) => faultRound(FAULTS.readOnlyRole, random),
};

const ALLOWED = /^(GET 200|POST 201|(GET|POST) 503 (unavailable|deadline_exceeded))$/;

/** What an answer may come late by, since this machine is busy. */
const SLACK_MS = 1_000;

/** What a round found that must not be, whatever happens to the database; empty when all is well. */
export function brokenPromises(outcome: Outcome): string[] {
  const { fault, acknowledged, readiness, longestWaitMs } = outcome;
  const unexpected = Object.keys(outcome.statuses).filter((status) => !ALLOWED.test(status));
  const only = (answers: readonly number[], status: number): boolean =>
    answers.every((answer) => answer === status);
  const promises: readonly (readonly [holds: boolean, otherwise: string])[] = [
    [acknowledged > 0, 'nothing was acknowledged'],
    [outcome.lost.length === 0, `acknowledged and lost: ${outcome.lost}`],
    [outcome.duplicates.length === 0, `there more than once: ${outcome.duplicates}`],
    [outcome.unanswered.length === 0, `without an answer: ${outcome.unanswered}`],
    [longestWaitMs < REQUEST_TIMEOUT_MS + SLACK_MS, `an answer after ${longestWaitMs} ms`],
    [unexpected.length === 0, `answered with ${unexpected}`],
    [!fault.preventsWrites || !outcome.wroteMeanwhile, 'written during the fault'],
    [only(readiness.before, 200), 'not ready before the fault'],
    [!fault.preventsReadiness || readiness.during.length > 0, 'readiness was not asked for'],
    [!fault.preventsReadiness || only(readiness.during, 503), 'ready during the fault'],
    [outcome.mostConnections <= CONNECTIONS, `${outcome.mostConnections} connections at once`],
    [outcome.backends <= CONNECTIONS, `${outcome.backends} connections left on the server`],
    [outcome.idleInTransaction === 0, `${outcome.idleInTransaction} left idle in transaction`],
  ];
  return promises.filter(([holds]) => !holds).map(([, otherwise]) => otherwise);
}
