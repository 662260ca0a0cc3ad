/** Runs the drills. Prints the skipped ones again at the end, and the counts, zeros included. */
import { ROOT } from '../support/process.ts';

const run = Bun.spawn([process.execPath, 'test', '--timeout', '600000', ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'pipe'],
});
const decoder = new TextDecoder();
let output = '';
for await (const chunk of run.stderr) {
  process.stderr.write(chunk);
  output += decoder.decode(chunk, { stream: true });
}
const count = (result: string) =>
  Number(new RegExp(`^ *(\\d+) ${result}$`, 'm').exec(output)?.[1] ?? 0);
for (const [line] of output.matchAll(/^\(skip\) .*$/gm)) console.log(line);
console.log(`${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`);
process.exitCode = await run.exited;
