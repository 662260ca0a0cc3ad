import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS_FOLDER } from './paths.ts';
import type { Place } from './place.ts';
import { runToEnd } from './processes.ts';

/**
 * Installs a peer's packages with npm unless they are there as its lockfile says.
 * @returns why it cannot be installed, if so.
 */
export async function install(place: Place, name: string): Promise<string | undefined> {
  const folder = join(PEERS_FOLDER, name);
  const lockfile = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules/.installed-lock.json');
  const isThere =
    existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8');
  if (isThere) return undefined;
  console.error(`Installing bench/peers/${name} (npm ci) …`);
  const { status, stderr } = await runToEnd(place, { command: ['npm', 'ci'], cwd: folder });
  if (status !== 0) return `npm ci failed in bench/peers/${name}: ${reasonIn(stderr)}`;
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
