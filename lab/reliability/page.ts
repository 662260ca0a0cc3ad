import { cpus, release, totalmem } from 'node:os';
import type { Result } from './results.ts';
import type { Control, Outcome, Trial, TrialGroup } from './trial.ts';

/** The first line of a text, cut where it is long. */
const firstLine = (text: string, length: number): string => {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > length ? `${line.slice(0, length)}…` : line;
};

const count = (value: number): string => value.toLocaleString('en-US');

/** The failures per trial are rarer than this, with a confidence of 95 %: the rule of three for independent trials. */
function bound({ isRandomSample }: Trial, { trials, failures, control }: Outcome): string {
  const isKnown = failures.length === 0 && trials > 0 && control.finding !== undefined;
  if (!isRandomSample || !isKnown) return '–';
  return `below 1 in ${count(Math.floor(trials / 3))}`;
}

function row(name: string, trial: Trial, outcome: Result['outcome']): string {
  const { promise, unit } = trial;
  const link = `[${promise}](#${name})`;
  if (typeof outcome === 'string') return `| ${link} | not run: ${outcome} | – | – |`;
  const trials = `${count(outcome.trials)} ${unit}`;
  return `| ${link} | ${trials} | ${count(outcome.failures.length)} | ${bound(trial, outcome)} |`;
}

/** Where the page has the timeline of a trial. */
export const imageOf = (name: string): string => `images/${name}.svg`;

const foundText = ({ finding }: Control): string =>
  finding === undefined ? '**It was not found.**' : `It was found: “${firstLine(finding, 160)}”.`;

function section(name: string, { promise, method }: Trial, result: Result): string[] {
  const lines = ['', `### ${name}`, '', `**${promise}** ${method}`];
  if (typeof result.outcome === 'string') return lines;
  const { figures, failures, control, timeline } = result.outcome;
  const shown = Object.entries(figures).map(
    ([what, value]) => `${what} ${typeof value === 'number' ? count(value) : value}`,
  );
  return [
    ...lines,
    '',
    ...(shown.length === 0 ? [] : [`- Figures: ${shown.join(', ')}.`]),
    `- Control: ${control.fault}. ${foundText(control)}`,
    `- Seed ${result.seed}, ${count(Math.ceil(result.seconds / 60))} min.`,
    ...failures.map((failure) => `- **Failure**: ${firstLine(failure, 240)}`),
    ...(timeline === undefined ? [] : ['', `![${timeline.title}](${imageOf(name)})`]),
  ];
}

/** The page of reliability: each promise, how it was tried, and the result. There is a result for each trial. */
export function renderPage(
  groups: readonly TrialGroup[],
  results: Readonly<Record<string, Result>>,
  {
    commit,
    date,
    untried,
  }: { readonly commit: string; readonly date: string; readonly untried: readonly string[] },
): string {
  const resultOf = (name: string): Result => results[name] as Result;
  const machine = `${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().split('-')[0]}, Bun ${Bun.version}`;
  return [
    '# Reliability',
    '',
    'Each promise was tried with real files, processes and databases. `npm run reliability` runs all trials and writes this page.',
    'A trial also runs with a planted fault, its control: a trial that does not find it proves nothing.',
    '',
    `Commit ${commit.slice(0, 12)}, ${date}: ${machine}.`,
    '',
    'Up to three trials run at a time: times are those of a busy machine.',
    '',
    'The last column says how rare a failure is, with a confidence of 95 %: below 3 in n after n random trials without a failure. “–” means that the trials are not random, that one failed, or that the control was not found.',
    '',
    '| Promise | Trials | Failures | Rate of failures |',
    '| --- | --- | --- | --- |',
    ...groups.flatMap(({ trials }) =>
      Object.entries(trials).map(([name, trial]) => row(name, trial, resultOf(name).outcome)),
    ),
    ...groups.flatMap(({ title, method, trials }) => [
      ...['', `## ${title}`],
      ...(method === undefined ? [] : ['', method]),
      ...Object.entries(trials).flatMap(([name, trial]) => section(name, trial, resultOf(name))),
    ]),
    ...['', '## Without a trial', '', ...untried.map((promise) => `- ${promise}`)],
    '',
  ].join('\n');
}
