import type { Random } from '../../test/support/random.ts';
import type { Timeline } from './timeline.ts';

/** How one promise is tried: a row of the page of reliability. */
export interface Trial {
  /** A sentence: what users may rely on. */
  readonly promise: string;
  /** A sentence or two: what is done to the service, and what is compared afterwards. */
  readonly method: string;
  /** What one trial is, in the plural: `simulated power failures`. */
  readonly unit: string;
  /** Whether the trials are independent random ones. Then their number bounds the rate of failures. */
  readonly isRandomSample: boolean;
  /** The programs that it needs beyond those of npm: `strace`. */
  readonly tools: readonly string[];
  /** Whether it must run as root, for example for network namespaces. */
  readonly asRoot?: boolean;
  /** Whether it runs in a network namespace of its own, in which it may build networks. */
  readonly ownNetwork?: boolean;
  /** How many trials may run at a time while it runs, this one included. Without: three. Fewer, if it keeps a pace or measures times. */
  readonly lanes?: 1 | 2;
  /** Whether all that it starts runs on one processor, and leaves the others to another trial. */
  readonly oneProcessor?: boolean;
  readonly limitMinutes: number;
  readonly run: (options: TrialOptions) => Promise<Outcome>;
}

/** Trials of one kind: a group of the report. */
export interface TrialGroup {
  readonly title: string;
  /** What is done and judged in the same way in each of its trials. */
  readonly method?: string;
  readonly trials: Readonly<Record<string, Trial>>;
}

export interface TrialOptions {
  /** From the seed of the run and the name of the trial. All choices follow from it. */
  readonly random: Random;
  /** Shows progress to the person who waits. */
  readonly report: (text: string) => void;
}

export interface Outcome {
  readonly trials: number;
  /** A sentence for each broken promise. */
  readonly failures: readonly string[];
  readonly control: Control;
  /** What else was counted or measured, in the order of the report: `acknowledged animals` 3,626. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** Drawn on the page. */
  readonly timeline?: Timeline;
}

/** The same trial with a planted fault of its promise, which must be found. Without it, a trial proves nothing. */
export interface Control {
  readonly fault: string;
  /** The sentence that reports the planted fault. Undefined: it was not found. */
  readonly finding: string | undefined;
}

/** The control of a trial: of what its judge said about the planted fault, the sentence that names this fault. */
export const controlOf = (fault: string, problems: readonly string[], names: RegExp): Control => ({
  fault,
  finding: problems.find((problem) => names.test(problem)),
});

/** One control for several parts of a trial. Each part must have found its planted fault. */
export const controlOfAll = (
  fault: string,
  findings: readonly (string | undefined)[],
): Control => ({
  fault,
  finding: findings.includes(undefined) ? undefined : findings[0],
});
