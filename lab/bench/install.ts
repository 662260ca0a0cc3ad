import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS_FOLDER } from './paths.ts';
import { runToEnd } from './processes.ts';
import type { Workspace } from './workspace.ts';

/**
 * Installs the packages of a peer with npm, unless those of its lock file are installed.
 * @returns why the installation failed, or undefined.
 */
export async function install(workspace: Workspace, name: string): Promise<string | undefined> {
  const folder = join(PEERS_FOLDER, name);
  const lockfile = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules/.installed-lock.json');
  const isInstalled =
    existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8');
  if (isInstalled) return undefined;
  console.error(`Installing lab/bench/peers/${name} (npm ci) …`);
  const { status, stderr } = await runToEnd(workspace, { command: ['npm', 'ci'], cwd: folder });
  if (status !== 0) return `npm ci failed in lab/bench/peers/${name}: ${reasonIn(stderr)}`;
  cpSync(lockfile, installed);
  return undefined;
}

const reasonIn = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .slice(0, 4)
    .map((line) => line.slice('npm error '.length))
    .join(' ') || stderr.trim();
