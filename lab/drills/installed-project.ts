import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));

/** The folder of a project of the drills, such as `clients`. */
export const projectFolder = (name: string): string =>
  fileURLToPath(new URL(`${name}/`, import.meta.url));

/**
 * Installs the packages of a project, in the versions of its lockfile, at their first use. Runs no install scripts.
 * @returns the folder with `node_modules`
 */
export function installProject(name: string): string {
  const project = projectFolder(name);
  const lock = readFileSync(join(project, 'package-lock.json'));
  const installed = join(CACHE, `${name}-${Bun.hash(lock).toString(36)}`);
  if (!existsSync(installed)) install(project, installed);
  return installed;
}

/** Installs into a temporary folder first: two runs may do so simultaneously, and one may be interrupted. */
function install(project: string, folder: string): void {
  const own = join(CACHE, `installing-${crypto.randomUUID()}`);
  mkdirSync(own, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(project, file), join(own, file));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd: own, stdio: 'inherit' });
  if (status !== 0) throw new Error(`The packages of ${project} cannot be installed.`);
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
