/**
 * Runs all command lines of the corpus in one process, because the start of each takes a tenth of a second:
 * `bun run-in-turn.ts FOLDER RESULTS`. The results are the answers, as JSON.
 */
import { writeFileSync } from 'node:fs';
import { run } from '../../../src/cli/program.ts';
import { answerOf, COMMAND_LINES, type CommandLine, type Ran } from './command-lines.ts';

const [, , folder = '', results = ''] = process.argv;
process.chdir(folder);
// Each command adds a listener.
process.stderr.setMaxListeners(0);
const bare = { ...process.env };

async function runHere({ words, variables }: CommandLine): Promise<Ran> {
  let stderr = '';
  const write = process.stderr.write.bind(process.stderr);
  process.stderr.write = ((text: string) => {
    stderr += text;
    return true;
  }) as typeof process.stderr.write;
  Object.assign(process.env, variables);
  try {
    const status = await run(words);
    return { status, stderr };
  } finally {
    process.stderr.write = write;
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, bare);
  }
}

// After `serve`, a timer ends the process.
const exit = process.exit;
process.exit = (() => {}) as typeof exit;

const answers: string[] = [];
for (const one of COMMAND_LINES) answers.push(await answerOf(one, folder, runHere));
writeFileSync(results, JSON.stringify(answers));
exit();
