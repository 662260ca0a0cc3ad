import { spawnSync } from 'node:child_process';
import { ROOT } from '../../test/support/process.ts';

/** Runs a program to its end. @returns its standard output @throws Error with its standard error, unless its status is 0 */
export function runCommand(...command: readonly string[]): string {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${error?.message ?? stderr}`);
  return stdout.trim();
}
