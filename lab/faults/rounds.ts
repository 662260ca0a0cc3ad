import { CONNECTIONS, REQUEST_TIMEOUT_MS } from './environment.ts';
import { FAULTS } from './faults.ts';
import { faultRound, type Outcome } from './round.ts';

export type Round = (random: () => number) => Promise<Outcome>;

/** A round for each fault. With `retried`, each request is retried until it is acknowledged. */
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

/** The round of `npm test`: a crash, a failover, and lost connections, with pauses for other tests. A drill has those above, one by one. */
export const SHORT_ROUND: Readonly<Record<string, Round>> = {
  'killed-primary-promoted-standby-cut-connections-retried': (random) =>
    faultRound(FAULTS.killedBeforeCuts, random, { retrying: true, pauseMs: 50 }),
};

const ALLOWED = /^(GET 200|POST 201|(GET|POST) 503 (unavailable|deadline_exceeded))$/;

/** Tolerance for response times on a busy machine. */
const SLACK_MS = 1_000;

/** Returns the violated guarantees of a round. */
export function violations(outcome: Outcome): string[] {
  const { fault, acknowledged, readiness, longestWaitMs } = outcome;
  const unexpected = Object.keys(outcome.statuses).filter((status) => !ALLOWED.test(status));
  const only = (statuses: readonly number[], status: number): boolean =>
    statuses.every((one) => one === status);
  const guarantees: readonly (readonly [isMet: boolean, violation: string])[] = [
    [acknowledged > 0, 'nothing was acknowledged'],
    [outcome.recoveryMs !== undefined, 'it did not recover'],
    [outcome.lost.length === 0, `acknowledged and lost: ${outcome.lost}`],
    [outcome.duplicates.length === 0, `stored more than once: ${outcome.duplicates}`],
    [outcome.unanswered.length === 0, `without a response: ${outcome.unanswered}`],
    [longestWaitMs < REQUEST_TIMEOUT_MS + SLACK_MS, `a response after ${longestWaitMs} ms`],
    [unexpected.length === 0, `unexpected responses: ${unexpected}`],
    [!fault.preventsWrites || !outcome.wroteDuringFault, 'written during the fault'],
    [only(readiness.before, 200), 'not ready before the fault'],
    [!fault.preventsReadiness || readiness.during.length > 0, 'readiness was not checked'],
    [!fault.preventsReadiness || only(readiness.during, 503), 'ready during the fault'],
    [outcome.maxConnections <= CONNECTIONS, `${outcome.maxConnections} simultaneous connections`],
    [outcome.backends <= CONNECTIONS, `${outcome.backends} sessions remain on the server`],
    [
      outcome.idleInTransaction === 0,
      `${outcome.idleInTransaction} sessions remain idle in transaction`,
    ],
  ];
  return guarantees.filter(([isMet]) => !isMet).map(([, violation]) => violation);
}
