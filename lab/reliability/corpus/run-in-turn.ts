/**
 * Runs all command lines of the corpus in one process, because the start of each takes a tenth of a second:
 * `bun run-in-turn.ts FOLDER RESULTS`. The results are the answers, as JSON.
 */
import { writeFileSync } from 'node:fs';
import { run } from '../../../src/cli/program.ts';
import '../../../test/built-thread.ts';
import { collectedIo } from '../../../test/support/collected-io.ts';
import { answerOf, COMMAND_LINES, type CommandLine, type Ran } from './command-lines.ts';

const [, , folder = '', results = ''] = process.argv;
process.chdir(folder);

async function runHere({ words, variables }: CommandLine): Promise<Ran> {
  const { io, stdout, stderr } = collectedIo({ ...process.env, ...variables });
  const status = await run(words, io);
  return { status, stdout: stdout(), stderr: stderr() };
}

// After `serve`, a timer ends the process.
const exit = process.exit;
process.exit = (() => {}) as typeof exit;

const answers: string[] = [];
for (const one of COMMAND_LINES) answers.push(await answerOf(one, folder, runHere));
writeFileSync(results, JSON.stringify(answers));
exit();
