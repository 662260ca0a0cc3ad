import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runProgram } from '../support/process.ts';

/** Runs a program of the project, and fails if it fails. @returns its standard output */
export async function run(command: readonly string[], cwd = ROOT): Promise<string> {
  const { status, stdout, stderr } = await runProgram(command, { cwd });
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`);
  return stdout;
}

/** Installs the ES module of the SDK into a folder as npm would. It has no declarations: a compiler takes long to write them. */
export async function installSdk(folder: string): Promise<{ readonly installed: string }> {
  const installed = join(folder, 'node_modules/@animal-store/client');
  mkdirSync(installed, { recursive: true });
  const entrypoints = [join(ROOT, 'sdk/src/index.ts')];
  await Bun.build({ entrypoints, outdir: join(installed, 'dist'), target: 'browser' });
  cpSync(join(ROOT, 'sdk/package.json'), join(installed, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { installed };
}
