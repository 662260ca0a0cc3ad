import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/support/process.ts';
import type { Outcome } from './trial.ts';

/** One run of a trial, as it is kept for `--resume` and for the page. */
export interface Result {
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  /** A trial without an outcome was not run to its end. The text says why: `it needs strace`. */
  readonly outcome: Outcome | string;
}

const FOLDER = join(ROOT, 'lab/.cache/reliability');
const pathOf = (name: string): string => join(FOLDER, `${name}.json`);

/** Keeps the result of a trial. An interrupted run goes on after it. */
export function keep(name: string, result: Result): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(pathOf(name), `${JSON.stringify(result, null, 2)}\n`);
}

/** Returns the kept result of a trial, if it is one of this commit and has an outcome. A trial that was not run is run again. */
export function kept(name: string, commit: string): Result | undefined {
  try {
    const result = JSON.parse(readFileSync(pathOf(name), 'utf8')) as Result;
    return result.commit === commit && typeof result.outcome !== 'string' ? result : undefined;
  } catch {
    return undefined;
  }
}

/** Whether there were trials, the promise was kept in all of them, and the planted fault was found. */
export const succeeded = ({ outcome }: Result): boolean =>
  typeof outcome !== 'string' &&
  outcome.trials > 0 &&
  outcome.failures.length === 0 &&
  outcome.control.finding !== undefined;
