import { expect, test } from 'bun:test';
import { renderPage } from './page.ts';
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
const RUN = { commit: '0123456789abcdef', seed: 7, seconds: 61 };

const pageOf = (outcome: Outcome | string): string[] =>
  renderPage(
    [{ title: 'Kills', method: 'All lists are compared.', trials: { kill: TRIAL } }],
    { kill: { ...RUN, outcome } },
    { commit: RUN.commit, date: '2027-01-01', untried: ['Jumps of the clock.'] },
  ).split('\n');

const rowOf = (outcome: Outcome | string): string | undefined =>
  pageOf(outcome).find((line) => line.startsWith('| [Nothing'));

test('a trial has a line with its promise, trials, failures and the bound of its failures', () => {
  expect(rowOf(OUTCOME)).toBe('| [Nothing is lost.](#kill) | 3,000 kills | 0 | below 1 in 1,000 |');
});

test('a trial with a failure has no bound, and names the failure', () => {
  const failed = { ...OUTCOME, failures: ['kill 3: an animal is missing'] };
  expect(rowOf(failed)).toBe('| [Nothing is lost.](#kill) | 3,000 kills | 1 | – |');
  expect(pageOf(failed)).toContain('- **Failure**: kill 3: an animal is missing');
});

test('a trial that tried nothing has no bound', () => {
  expect(rowOf({ ...OUTCOME, trials: 0 })).toBe('| [Nothing is lost.](#kill) | 0 kills | 0 | – |');
});

test('a trial whose control was not found has no bound, and says so', () => {
  const missed = { ...OUTCOME, control: { fault: 'the WAL is deleted', finding: undefined } };
  expect(rowOf(missed)).toBe('| [Nothing is lost.](#kill) | 3,000 kills | 0 | – |');
  expect(pageOf(missed)).toContain('- Control: the WAL is deleted. **It was not found.**');
});

test('a trial of all cases there are has no bound', () => {
  const page = renderPage(
    [{ title: 'Kills', trials: { kill: { ...TRIAL, isRandomSample: false } } }],
    { kill: { ...RUN, outcome: OUTCOME } },
    { commit: RUN.commit, date: '2027-01-01', untried: ['Jumps of the clock.'] },
  );
  expect(page).toContain('| [Nothing is lost.](#kill) | 3,000 kills | 0 | – |');
});

test('a failure is shown by its first line, cut where it is long', () => {
  const failed = { ...OUTCOME, failures: [`${'x'.repeat(300)}\nmore`] };
  expect(pageOf(failed)).toContain(`- **Failure**: ${'x'.repeat(240)}…`);
});

test('a trial that was not run says why', () => {
  expect(rowOf('it needs strace')).toBe(
    '| [Nothing is lost.](#kill) | not run: it needs strace | – | – |',
  );
});

test('a section has the method, the figures, the control, and what repeats the run', () => {
  const page = pageOf(OUTCOME);
  expect(page.slice(page.indexOf('## Kills'))).toEqual([
    '## Kills',
    '',
    'All lists are compared.',
    '',
    '### kill',
    '',
    '**Nothing is lost.** The service is killed.',
    '',
    '- Figures: acknowledged animals 12,345.',
    '- Control: the WAL is deleted. It was found: “animal 7 is missing”.',
    '- Seed 7, 2 min.',
    '',
    '## Without a trial',
    '',
    '- Jumps of the clock.',
    '',
  ]);
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
