import { PLANTED } from '../faults/planted.ts';
import type { Outcome as RoundOutcome } from '../faults/round.ts';
import { ROUNDS, violations } from '../faults/rounds.ts';
import { controlOf, type Outcome, type Trial } from './trial.ts';

const ROUNDS_EACH = 20;

/** What happens to PostgreSQL, and what is promised for it. */
const TEXTS: Readonly<Record<string, readonly [promise: string, fault: string]>> = {
  'killed-primary': [
    'An animal with response 201 survives `kill -9` of PostgreSQL.',
    'PostgreSQL is killed, and started again.',
  ],
  'killed-primary-retried': [
    'A retry with an `Idempotency-Key` adds an animal once through `kill -9` of PostgreSQL.',
    'PostgreSQL is killed, and started again. Clients retry until they have a 201.',
  ],
  'promoted-standby': [
    'An animal with response 201 survives the failover to a synchronous standby.',
    'The primary is killed or cut off, and its standby promoted. The address moves before or after that.',
  ],
  'cut-connections': [
    'No acknowledged animal is lost if connections to PostgreSQL are cut.',
    'All connections are reset at random, or when a statement or a COMMIT was sent.',
  ],
  'cut-connections-retried': [
    'A retry with an `Idempotency-Key` adds an animal once if connections to PostgreSQL are cut.',
    'All connections are reset at random, or when a statement or a COMMIT was sent. Clients retry until they have a 201.',
  ],
  'black-hole': [
    'Every request gets a response in time if PostgreSQL is silent.',
    'No data arrives from PostgreSQL, without an error.',
  ],
  'exhausted-pool': [
    'Every request gets a response in time if a lock holds all connections.',
    'Another session locks the table of animals.',
  ],
  'full-server': [
    'The service recovers when PostgreSQL has connections left again.',
    'Other clients take all connections of PostgreSQL.',
  ],
  'read-only-role': [
    'The service recovers when its role may write again.',
    'The role of the service becomes read-only.',
  ],
};

/** What is done and judged in each of these trials. */
export const DATABASE_METHOD =
  'The service runs on a real PostgreSQL with `fsync` on. 32 clients add animals and 4 read before, during and after the failure, whose moment is random. No acknowledged animal may be missing, no animal may be stored twice, and each request must get a 200, 201 or 503 within `REQUEST_TIMEOUT` (5 s here) and a second. While no write can succeed because PostgreSQL is gone, `/readyz` must be 503. Afterwards an addition must succeed, `/readyz` must be 200, and the service may have no more sessions on the server than its pool has (10), none of them in a transaction.';

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const ms = (value: number): string => `${Math.round(value)} ms`;

function figuresOf(outcomes: readonly RoundOutcome[]): Outcome['figures'] {
  const recoveries = outcomes.flatMap(({ recoveryMs }) => recoveryMs ?? []);
  return {
    'acknowledged animals': outcomes.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    'longest wait for a response': ms(Math.max(...outcomes.map((one) => one.longestWaitMs))),
    'median time from the end of the failure to the first 201': ms(median(recoveries)),
    'longest such time': ms(Math.max(...recoveries)),
  };
}

const trialOf = (name: string): Trial => {
  const [promise = '', fault = ''] = TEXTS[name] ?? [];
  return {
    promise,
    method: fault,
    unit: 'rounds',
    isRandomSample: true,
    tools: [],
    limitMinutes: 45,
    async run({ random, report }): Promise<Outcome> {
      const [round, planted] = [ROUNDS[name], PLANTED[name]];
      if (round === undefined || planted === undefined) throw new Error(`${name} has no round`);
      const outcomes: RoundOutcome[] = [];
      const failures: string[] = [];
      for (let count = 1; count <= ROUNDS_EACH; count += 1) {
        const outcome = await round(random);
        outcomes.push(outcome);
        failures.push(...violations(outcome).map((violation) => `round ${count}: ${violation}`));
      }
      // As many rounds as above: in some of them, the planted fault meets no addition.
      let control = controlOf(planted.fault, [], planted.names);
      let rounds = 0;
      while (control.finding === undefined && rounds < ROUNDS_EACH) {
        rounds += 1;
        const found = violations(await planted.round(random));
        report(`control ${rounds} finds: ${found.map((text) => text.slice(0, 80))}`);
        control = controlOf(planted.fault, found, planted.names);
      }
      return {
        trials: ROUNDS_EACH,
        failures,
        control,
        figures: { ...figuresOf(outcomes), 'rounds of the control': rounds },
      };
    },
  };
};

/** Failures of PostgreSQL and of the network to it, under load. */
export const DATABASE_TRIALS: Readonly<Record<string, Trial>> = Object.fromEntries(
  Object.keys(ROUNDS).map((name) => [`database-${name}`, trialOf(name)]),
);
