import type { Random } from '../support/random.ts';

/** How one promise is tried: a line of the page of reliability. */
export interface Trial {
  /** A sentence: what users may rely on. */
  readonly promise: string;
  /** A sentence or two: what is done to the service, and what is compared afterwards. */
  readonly method: string;
  /** What one trial is, in the plural: `states after a power failure`. */
  readonly unit: string;
  /** The programs that it needs beyond those of npm: `strace`. */
  readonly tools: readonly string[];
  /** Whether it must run as root, for example for network namespaces. */
  readonly asRoot?: boolean;
  readonly limitMinutes: number;
  readonly run: (options: TrialOptions) => Promise<Outcome>;
}

export interface TrialOptions {
  /** From the seed of the run. All choices follow from it. */
  readonly random: Random;
  /** Shows progress to the person who waits. */
  readonly report: (text: string) => void;
}

export interface Outcome {
  readonly trials: number;
  /** A sentence for each broken promise. */
  readonly failures: readonly string[];
  /** The same trial with a planted fault, which must be found. Without it, a trial proves nothing. */
  readonly control: { readonly fault: string; readonly isFound: boolean };
  /** What else was counted or measured, in the order of the page: `acknowledged animals` 3,626. */
  readonly figures: Readonly<Record<string, number | string>>;
}
