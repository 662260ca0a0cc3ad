/**
 * Bad command lines, settings and files get the answers of the corpus. All run in one process: the trial `bad-input` starts
 * one for each.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SETTINGS } from '../../src/config/settings.ts';
import { BUILT_THREAD } from '../../test/built-thread.ts';
import { inWorkplace, runProgram } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import {
  COMMAND_LINES,
  commandLineOf,
  isExpectedAnswer,
  prepareFiles,
} from './corpus/command-lines.ts';

const PROGRAM = `${import.meta.dirname}/corpus/run-in-turn.ts`;

test(
  `${COMMAND_LINES.length} bad command lines, settings and files get their answers`,
  inWorkplace(async ({ path }) => {
    await prepareFiles(path);
    const results = temporaryFolder();
    const file = results.file('answers.json');
    const variables = { ...(BUILT_THREAD && { TEST_THREAD: BUILT_THREAD }) };
    const options = { cwd: path, limitMs: 85_000, variables };
    await runProgram([process.execPath, PROGRAM, path, file], options);
    const answers: string[] = JSON.parse(readFileSync(file, 'utf8'));
    results.remove();
    expect(answers).toHaveLength(COMMAND_LINES.length);
    const others = COMMAND_LINES.filter(
      ({ expected }, index) => !isExpectedAnswer(answers[index] ?? '', expected),
    );
    expect(
      others.map((one) => `${one.at}: ${one.input}: ${answers[COMMAND_LINES.indexOf(one)]}`),
    ).toEqual([]);
  }),
);

test.each([
  ['2 animal-store: PORT must be x.', '2 PORT must be x.', true],
  ['1 animal-store: PORT must be x.', '2 PORT must be x.', false],
  ['2 animal-store: HOST must be x.', '2 PORT must be x.', false],
  ['1 TypeError: x is not y at /src/a.ts:1', '1', false],
  ['1 animal-store: No. It left new.db.', '1 No.', false],
  ['1 animal-store: No. It printed Yes.', '1 No.', false],
  ['1 animal-store: No. It left new.db.', '1 No. It left new.db.', true],
])('the answer %j to a case that expects %j is good: %p', (answer, expected, isGood) => {
  expect(isExpectedAnswer(answer, expected)).toBe(isGood);
});

test('each setting has a bad value in the corpus', () => {
  const names = new Set(COMMAND_LINES.flatMap((one) => Object.keys(commandLineOf(one).variables)));
  expect(Object.values(SETTINGS).map(({ variable }) => variable)).toSatisfy((variables) =>
    variables.every((variable) => names.has(variable)),
  );
});

test('a line begins with its variables', () => {
  const one = { at: '', template: ['… x'], input: 'PORT=1 HOST= serve --port=2', expected: '' };
  expect(commandLineOf(one)).toEqual({
    words: ['serve', '--port=2', 'x'],
    variables: { PORT: '1', HOST: '' },
    files: {},
  });
});
