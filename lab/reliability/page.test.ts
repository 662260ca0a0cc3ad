import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/support/process.ts';
import { type Report, renderPage, reportOf, reportResult, resultsOf } from './page.ts';
import { type Result, succeeded } from './results.ts';
import type { Outcome, Trial } from './trial.ts';

const TRIAL: Trial = {
  promise: 'Nothing is lost.',
  method: 'The service is killed.',
  unit: 'kills',
  isRandomSample: true,
  tools: [],
  limitMinutes: 1,
  run: async () => OUTCOME,
};
const OUTCOME: Outcome = {
  trials: 3_000,
  failures: [],
  control: { fault: 'the WAL is deleted', finding: 'animal 7 is missing' },
  figures: { 'acknowledged animals': 12_345 },
};
const RUN = { commit: '0123456789ab', seed: 7, seconds: 61 };

const reportWith = (outcome: Outcome | string, trial = TRIAL): Report =>
  reportOf(
    [{ title: 'Kills', method: 'All lists are compared.', trials: { kill: trial } }],
    { kill: reportResult({ ...RUN, outcome }) },
    { commit: RUN.commit, date: '2027-01-01', untried: ['Jumps of the clock.'] },
  );

/** The page as it is written from the file of the report. */
const pageOf = (report: Report): string[] =>
  renderPage(JSON.parse(JSON.stringify(report))).split('\n');

const rowOf = (outcome: Outcome | string, trial = TRIAL): string | undefined =>
  pageOf(reportWith(outcome, trial)).find((line) => line.startsWith('| Nothing'));

test('the page of reliability is the one of its report', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const report = JSON.parse(read('docs/reliability.json')) as Report;
  expect(renderPage(report)).toBe(read('docs/reliability.md'));
});

test('a trial has a row with its promise, trials, failures, the bound of failures and the control', () => {
  expect(rowOf(OUTCOME)).toBe('| Nothing is lost. | 3,000 kills | 0, <1/1,000 | found |');
});

test('a trial with a failure has no bound, and the page names the failure', () => {
  const failed = { ...OUTCOME, failures: ['kill 3: an animal is missing'] };
  expect(rowOf(failed)).toBe('| Nothing is lost. | 3,000 kills | 1 | found |');
  expect(pageOf(reportWith(failed))).toContain(
    '- Nothing is lost. **Failure**: kill 3: an animal is missing',
  );
});

test('a trial that tried nothing has no bound', () => {
  expect(rowOf({ ...OUTCOME, trials: 0 })).toBe('| Nothing is lost. | 0 kills | 0 | found |');
});

test('a trial whose control was not found has no bound, and says so', () => {
  const missed = { ...OUTCOME, control: { fault: 'the WAL is deleted', finding: undefined } };
  expect(rowOf(missed)).toBe('| Nothing is lost. | 3,000 kills | 0 | **not found** |');
});

test('a trial of all cases there are has no bound', () => {
  const row = rowOf(OUTCOME, { ...TRIAL, isRandomSample: false });
  expect(row).toBe('| Nothing is lost. | 3,000 kills | 0 | found |');
});

test('a failure is shown by its first line, cut where it is long', () => {
  const failed = { ...OUTCOME, failures: [`${'x'.repeat(300)}\nmore`] };
  const page = pageOf(reportWith(failed));
  expect(page).toContain(`- Nothing is lost. **Failure**: ${'x'.repeat(240)}…`);
});

test('a trial that was not run says why', () => {
  expect(rowOf('it needs strace')).toBe('| Nothing is lost. | not run: it needs strace | – | – |');
});

test('the page is of the code that most results are of', () => {
  const resultOf = (commit: string) => reportResult({ ...RUN, commit, outcome: OUTCOME });
  const groups = [{ title: 'Kills', trials: { first: TRIAL, second: TRIAL, third: TRIAL } }];
  const results = { first: resultOf('new'), second: resultOf('old'), third: resultOf('old') };
  const run = { commit: 'new', date: '2027-01-01', untried: [] };
  expect(reportOf(groups, results, run).commit).toBe('old');
});

test('a row of other code names its commit', () => {
  const page = pageOf({ ...reportWith(OUTCOME), commit: 'fedcba987654' });
  expect(page).toContain(
    '| Nothing is lost. | 3,000 kills at 0123456789ab | 0, <1/1,000 | found |',
  );
});

test('a trial without a result yet has a row, too', () => {
  const groups = [{ title: 'Kills', trials: { kill: TRIAL } }];
  const report = reportOf(groups, {}, { commit: RUN.commit, date: '2027-01-01', untried: [] });
  expect(pageOf(report)).toContain('| Nothing is lost. | not run: it has no result yet | – | – |');
});

test('a report returns the results that it was made of', () => {
  const result = reportResult({ ...RUN, outcome: OUTCOME });
  expect(resultsOf(reportWith(OUTCOME))['kill']).toMatchObject({ ...result });
});

test('the page has the picture of a trial, and ends with what was not tried', () => {
  const timeline = { title: 'Writes per second', perSecond: [1], periods: [] };
  expect(pageOf(reportWith({ ...OUTCOME, timeline })).slice(-7)).toEqual([
    '',
    '![Writes per second](images/kill.svg)',
    '',
    '## Without a trial',
    '',
    '- Jumps of the clock.',
    '',
  ]);
});

test('the report has the method, the figures, the control, and what repeats the run', () => {
  expect(reportWith(OUTCOME)).toMatchObject({
    commit: '0123456789ab',
    groups: [
      {
        title: 'Kills',
        method: 'All lists are compared.',
        trials: {
          kill: {
            method: 'The service is killed.',
            seed: 7,
            minutes: 2,
            outcome: {
              control: { fault: 'the WAL is deleted', finding: 'animal 7 is missing' },
              figures: { 'acknowledged animals': 12_345 },
            },
          },
        },
      },
    ],
  });
});

test('a result without a failure, whose control was found, is a success', () => {
  expect(succeeded({ ...RUN, outcome: OUTCOME })).toBe(true);
});

test.each<[string, Result['outcome']]>([
  ['a failure', { ...OUTCOME, failures: ['kill 3: an animal is missing'] }],
  ['a control that was not found', { ...OUTCOME, control: { fault: 'none', finding: undefined } }],
  ['no trial', { ...OUTCOME, trials: 0 }],
  ['no outcome', 'it needs strace'],
])('a result with %s is no success', (_title, outcome) => {
  expect(succeeded({ ...RUN, outcome })).toBe(false);
});
