import type { Workplace } from '../../../test/support/process.ts';
import { controlOf, type Outcome, type TrialOptions } from '../trial.ts';
import { type Ending, Round, type Trouble } from './round.ts';
import type { Template } from './template.ts';

/** Of the planned calls. The others were not made in their run. */
const MIN_REACHED = 0.9;
const CONTROL_TRIES = 3;

/** A trouble, and its name in the figures: `EIO of pwrite64 on the -wal`. */
export interface Named {
  readonly name: string;
  readonly nth: number;
  /** The database on which it happens, if it is not that of the trial. */
  readonly template?: Template;
  readonly trouble: Trouble;
  readonly ending: Ending;
}

export interface Plan {
  readonly troubles: readonly Named[];
  readonly control: { readonly fault: string; readonly trouble: Trouble };
}

/** Runs a round for each trouble, and the control. */
export async function runPlan(
  place: Workplace,
  template: Template,
  { troubles, control, names }: Plan & { readonly names: RegExp },
  { report }: TrialOptions,
): Promise<Outcome> {
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  const add = (name: string, count: number) => {
    figures[name] = (figures[name] ?? 0) + count;
  };
  let [trials, reappeared] = [0, 0];
  for (const [index, { name, nth, trouble, ending, ...other }] of troubles.entries()) {
    const ended = await new Round(place, other.template ?? template, trouble).run(ending);
    const isHit = ended.hit !== undefined;
    if (isHit) trials += 1;
    add(name, isHit ? 1 : 0);
    reappeared += ended.reappeared;
    const where = `${name}, call ${nth} (${ended.hit}, then ${ending})`;
    failures.push(...ended.problems.map((problem) => `${where}: ${problem}`));
    if (index % 50 === 49)
      report(`${index + 1} of ${troubles.length}, ${failures.length} failures`);
  }
  if (trials < MIN_REACHED * troubles.length)
    failures.push(`only ${trials} of ${troubles.length} calls were reached`);
  const found: string[] = [];
  // A background job that writes first makes the call another one.
  for (let tries = 0; tries < CONTROL_TRIES && !found.some((text) => names.test(text)); tries += 1)
    found.push(...(await new Round(place, template, control.trouble).run('SIGKILL')).problems);
  return {
    trials,
    failures,
    control: controlOf(control.fault, found, names),
    figures: {
      ...figures,
      'planned calls': troubles.length,
      'changes with 503 that a kill right after it made visible': reappeared,
    },
  };
}
