import { cpus, release, totalmem } from 'node:os';
import type { Result } from './results.ts';
import type { Control, Trial, TrialGroup } from './trial.ts';

/** All that is known of a run of all trials: docs/reliability.json. The page is written from it alone. */
export interface Report {
  /** The code of most results. */
  readonly commit: string;
  /** The day of the last result. */
  readonly date: string;
  readonly machine: string;
  readonly groups: readonly {
    readonly title: string;
    readonly method?: string;
    readonly trials: Readonly<Record<string, ReportedTrial>>;
  }[];
  /** Promises without a trial, as sentences. */
  readonly untried: readonly string[];
}

/** The last result of a trial. `--resume` reads it here, so a run can take several days and machines. */
interface ReportedResult {
  readonly commit: string;
  readonly seed: number;
  readonly minutes: number;
  /** A text says why the trial was not run. */
  readonly outcome: ReportedOutcome | string;
}

interface ReportedTrial
  extends ReportedResult,
    Pick<Trial, 'promise' | 'method' | 'unit' | 'isRandomSample'> {}

interface ReportedOutcome {
  readonly trials: number;
  readonly failures: readonly string[];
  /** Without a finding, the planted fault was not found. */
  readonly control: { readonly fault: string; readonly finding?: string };
  readonly figures: Readonly<Record<string, number | string>>;
  /** The title of its picture. */
  readonly timeline?: string;
}

/** The first line of a text, cut where it is long. */
const firstLine = (text: string, length: number): string => {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > length ? `${line.slice(0, length)}…` : line;
};

const count = (value: number): string => value.toLocaleString('en-US');

/** The results of a report by the names of their trials. */
export const resultsOf = ({ groups }: Report): Record<string, ReportedResult> =>
  Object.assign({}, ...groups.map(({ trials }) => trials));

/** The report of all trials with their last results. */
export function reportOf(
  groups: readonly TrialGroup[],
  results: Readonly<Record<string, ReportedResult>>,
  run: Pick<Report, 'commit' | 'date' | 'untried'>,
): Report {
  const { commit, date, untried } = run;
  const machine = `${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().split('-')[0]}, Bun ${Bun.version}`;
  const reportTrial = (name: string, trial: Trial): ReportedTrial => {
    const { promise, method, unit, isRandomSample } = trial;
    const missing = { commit, seed: 0, minutes: 0, outcome: 'it has no result yet' };
    const { seed, minutes, outcome, ...of } = results[name] ?? missing;
    return { promise, method, unit, isRandomSample, commit: of.commit, seed, minutes, outcome };
  };
  const reported = groups.map(({ trials, ...group }) => ({
    ...group,
    trials: Object.fromEntries(
      Object.entries(trials).map(([name, trial]) => [name, reportTrial(name, trial)]),
    ),
  }));
  return { commit: commitOfMost(results) ?? commit, date, machine, groups: reported, untried };
}

function commitOfMost(results: Readonly<Record<string, ReportedResult>>): string | undefined {
  const commits = Object.values(results).map(({ commit }) => commit);
  const countOf = (commit: string) => commits.filter((other) => other === commit).length;
  return commits.sort((a, b) => countOf(b) - countOf(a))[0];
}

/** A result as a report has it. */
export function reportResult({ commit, seed, seconds, outcome }: Result): ReportedResult {
  const run = { commit, seed, minutes: Math.ceil(seconds / 60) };
  if (typeof outcome === 'string') return { ...run, outcome };
  const { trials, failures, control, figures, timeline } = outcome;
  const reported = {
    trials,
    failures: failures.map((failure) => firstLine(failure, 240)),
    control: reportControl(control),
    figures,
    ...(timeline && { timeline: timeline.title }),
  };
  return { ...run, outcome: reported };
}

const reportControl = ({ fault, finding }: Control): ReportedOutcome['control'] =>
  finding === undefined ? { fault } : { fault, finding: firstLine(finding, 160) };

/** The failures per trial are rarer than this, with a confidence of 95 %: the rule of three for independent trials. */
function bound({ isRandomSample }: ReportedTrial, outcome: ReportedOutcome): string {
  const { trials, failures, control } = outcome;
  const isKnown = failures.length === 0 && trials > 0 && control.finding !== undefined;
  return isRandomSample && isKnown ? `, <1/${count(Math.floor(trials / 3))}` : '';
}

function row(trial: ReportedTrial, commit: string): string {
  const { promise, unit, outcome } = trial;
  const other = trial.commit === commit ? '' : ` at ${trial.commit}`;
  if (typeof outcome === 'string') return `| ${promise} | not run: ${outcome} | – | – |`;
  const { trials, failures, control } = outcome;
  const judged = control.finding === undefined ? '**not found**' : 'found';
  return `| ${promise} | ${count(trials)} ${unit}${other} | ${count(failures.length)}${bound(trial, outcome)} | ${judged} |`;
}

/** Where the page has the timeline of a trial. */
export const imageOf = (name: string): string => `images/${name}.svg`;

/** The page of reliability: a row for each promise, and what was not tried. */
export function renderPage({ commit, date, machine, groups, untried }: Report): string {
  const trials = groups.flatMap((group) => Object.entries(group.trials));
  const outcomes = trials.flatMap(([name, { promise, outcome }]) =>
    typeof outcome === 'string' ? [] : [{ name, promise, ...outcome }],
  );
  const failures = outcomes.flatMap(({ promise, failures }) =>
    failures.map((failure) => `- ${promise} **Failure**: ${failure}`),
  );
  const pictures = outcomes.flatMap(({ name, timeline }) =>
    timeline === undefined ? [] : ['', `![${timeline}](${imageOf(name)})`],
  );
  return [
    '# Reliability',
    '',
    '`npm run reliability` tries each promise with real files, processes and databases.',
    '[reliability.json](reliability.json) has methods, figures and seeds.',
    '',
    `Commit ${commit}, ${date}: ${machine}. A row of other code names its commit.`,
    '',
    'A control is the trial with a planted fault. A trial that does not find it proves nothing.',
    '“<1/33”: with 95 % confidence, fewer than 1 in 33 random trials fail.',
    '',
    '| Promise | Trials | Failures | Control |',
    '| --- | --- | --- | --- |',
    ...trials.map(([, trial]) => row(trial, commit)),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    ...pictures,
    ...['', '## Without a trial', '', ...untried.map((promise) => `- ${promise}`)],
    '',
  ].join('\n');
}
