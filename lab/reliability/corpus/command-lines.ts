/** The command lines and files of the corpus, and the files that they need. */
import { Database } from 'bun:sqlite';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../../test/support/create-key.ts';
import { runProgram } from '../../../test/support/process.ts';
import { bytesOf, type Case, readCorpus } from './parse.ts';

/** All command lines of the corpus. */
export const COMMAND_LINES: readonly Case[] = ['commands.txt', 'files.txt'].flatMap(readCorpus);

/** What is run in a folder of its own. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** The words of a line. Those before the first word without an equals sign are variables. */
export function commandLineOf({ template: [line = '', content], input }: Case): CommandLine {
  const file = content?.slice('file '.length);
  const words = line
    .replace('…', file === undefined ? input : '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => bytesOf(word.replaceAll('‹›', '')).toString());
  const count = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const pairs = words.splice(0, count === -1 ? 0 : count).map((word) => {
    const [name = '', ...value] = word.split('=');
    return [name, value.join('=')] as const;
  });
  return {
    words,
    variables: Object.fromEntries(pairs),
    files: file === undefined ? {} : { [file]: bytesOf(input) },
  };
}

/** Files that the command lines name: good, damaged, and none at all. */
export async function prepareFiles(folder: string): Promise<void> {
  const at = (name: string) => join(folder, name);
  await createKey(at('store.db'));
  copyFileSync(at('store.db'), at('backup.db'));
  copyFileSync(at('store.db'), at('newer.db'));
  alter(at('newer.db'), 'PRAGMA user_version = 9999');
  alter(at('other.db'), 'CREATE TABLE diary (entry TEXT)');
  const bytes = readFileSync(at('store.db'));
  writeFileSync(at('cut.db'), bytes.subarray(0, bytes.length / 2));
  writeFileSync(at('damaged.db'), Buffer.from(bytes).fill(0xa5, 4_096));
  writeFileSync(at('text.db'), 'Dear diary, '.repeat(1_000));
  writeFileSync(at('empty.db'), '');
  writeFileSync(at('a.csv'), 'name,categoryId\nRex,1\n');
  writeFileSync(at('url.txt'), 'postgres://127.0.0.1:1/a\n');
  mkdirSync(at('folder'));
  await runProgram(['mkfifo', at('pipe')]);
}

function alter(path: string, statement: string): void {
  const connection = new Database(path, { readwrite: true, create: true });
  connection.run(statement);
  connection.close();
}

/** What a command line did. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type RunCommand = (line: CommandLine, folder: string) => Promise<Ran>;

/** The answer as the corpus has it: the exit status and standard error, and the files and the output that a failure left. */
export async function answerOf(one: Case, folder: string, run: RunCommand): Promise<string> {
  const before = readdirSync(folder);
  const line = commandLineOf(one);
  const given = Object.keys(line.files);
  for (const name of given) writeFileSync(join(folder, name), line.files[name] ?? '');
  const { status, stdout, stderr } = await run(line, folder);
  const created = readdirSync(folder).filter((name) => !before.includes(name));
  const unexpected = created.filter((name) => !given.includes(name));
  for (const name of created) rmSync(join(folder, name), { recursive: true, force: true });
  const left = status === 0 || unexpected.length === 0 ? '' : ` It left ${unexpected}.`;
  const said = stderr.trimEnd().replaceAll(`${folder}/`, '').replaceAll('\n', ' ');
  // The faults that `check` finds are its result.
  const isResult = status === 0 || stdout === '' || / (was|were) found\./.test(said);
  return `${status} ${said}${left}${isResult ? '' : ` It printed ${stdout}`}`;
}

/** Whether an answer has the expected status and contains the rest, and has no stack of an error, no file too many and no output. */
export function isExpectedAnswer(answer: string, expected: string): boolean {
  const [, status = '', text = ''] = /^(\S+) ?(.*)$/.exec(expected) ?? [];
  const isBad =
    / at \S+:\d+|Error:| It printed /.test(answer) ||
    (/ It left/.test(answer) && !/ It left/.test(text));
  return answer.startsWith(`${status} `) && answer.includes(text) && !isBad;
}
