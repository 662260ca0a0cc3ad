import type { Outcome } from './trial.ts';

/** One run of a trial. */
export interface Result {
  /** The first digits of the last commit that changed the service or its trials. */
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  /** A trial without an outcome was not run to its end. The text says why: `it needs strace`. */
  readonly outcome: Outcome | string;
}

/** Whether there were trials, the promise was kept in all of them, and the planted fault was found. */
export const succeeded = ({ outcome }: Result): boolean =>
  typeof outcome !== 'string' &&
  outcome.trials > 0 &&
  outcome.failures.length === 0 &&
  outcome.control.finding !== undefined;
