import type { Outcome } from '../../test/support/process.ts';
import type { Random } from '../../test/support/random.ts';

/** A place with a database, on which a command is killed once. */
export interface Attempt<Step> {
  /** Runs the command, and kills it at a step. The status is null if that was reached. */
  kill(step: Step): Promise<Outcome>;
  /** What the killed command left that its documentation does not promise. Then runs it again, as the documentation says. */
  judge(): Promise<string[]>;
  /** Leaves what a worse command would have left. `judge` must find it. */
  plant(): void | Promise<void>;
  remove(): void | Promise<void>;
}

/** The steps of a command. */
interface Steps<Step> {
  /** With its database: `import into SQLite`. */
  readonly name: string;
  /** The fault of its control. */
  readonly fault: string;
  /** The sentence that names the fault. */
  readonly names: RegExp;
  /** All moments, recorded from a run to the end. */
  steps(): Promise<readonly Step[]>;
  describe(step: Step): string;
  attempt(): Promise<Attempt<Step>>;
}

/** Steps are tried side by side, because a killed command waits for others most of its time. */
const SIMULTANEOUS = 2;

/** Less, and the trial would prove little. Some calls depend on timers. */
const MIN_REACHED = 0.9;

/** Kills a command at a step. Undefined: the command ended before, because its runs differ a little. */
async function tryStep<Step>(
  command: Steps<Step>,
  step: Step,
  isControl: boolean,
): Promise<string[] | undefined> {
  const attempt = await command.attempt();
  try {
    const { status, stderr } = await attempt.kill(step);
    if (status !== null) return status === 0 ? undefined : [`it failed: ${stderr.trim()}`];
    if (isControl) await attempt.plant();
    return await attempt.judge();
  } catch (error) {
    return [`it cannot be judged: ${(error as Error).message}`];
  } finally {
    await attempt.remove();
  }
}

interface Kills {
  readonly kills: number;
  /** Those that a run to the end has. */
  readonly steps: number;
  readonly failures: readonly string[];
  /** What was found of the planted fault. */
  readonly finding: string | undefined;
}

/** A command that can be killed at each of its steps. */
export interface KilledCommand {
  readonly name: string;
  readonly fault: string;
  killAtEachStep(random: Random): Promise<Kills>;
}

export const killedCommand = <Step>(command: Steps<Step>): KilledCommand => ({
  name: command.name,
  fault: command.fault,
  killAtEachStep: (random) => killAtEachStep(command, random),
});

/** Kills a command at each step, each time in a place of its own, and once more for the control. */
async function killAtEachStep<Step>(command: Steps<Step>, random: Random): Promise<Kills> {
  const steps = await command.steps();
  const rest = [...steps];
  const failures: string[] = [];
  let kills = 0;
  const tryRest = async (): Promise<void> => {
    for (let step = rest.shift(); step !== undefined; step = rest.shift()) {
      const problems = await tryStep(command, step, false);
      if (problems === undefined) continue;
      kills += 1;
      const moment = `${command.name}, killed before ${command.describe(step)}`;
      failures.push(...problems.map((problem) => `${moment}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: SIMULTANEOUS }, tryRest));
  if (kills < MIN_REACHED * steps.length)
    failures.push(`${command.name}: only ${kills} of ${steps.length} steps were reached`);
  return {
    kills,
    steps: steps.length,
    failures,
    finding: await findControl(command, steps, random),
  };
}

/** What is found of the planted fault. Tries other steps until one is reached. */
async function findControl<Step>(
  command: Steps<Step>,
  steps: readonly Step[],
  random: Random,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const step = steps[Math.floor(random() * steps.length)] as Step;
    const found = await tryStep(command, step, true);
    if (found !== undefined) return found.find((problem) => command.names.test(problem));
  }
  return undefined;
}
