import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { isPostgresUrl } from '../storage/database-url.ts';
import { versionAfter } from '../storage/migrations.ts';

export const VERSION = packageJson.version;

/** The commit of a program that was built without git. */
const UNKNOWN_COMMIT = 'unknown';

/** `scripts/build-executable.ts` replaces this name by a text. */
declare const BUILD_COMMIT: string;

/** A start waits for git. */
const GIT_TIMEOUT_MS = 2_000;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The commit of the sources that run, with `-dirty` after changes that were not committed, or `unknown`. An executable
 * contains it, a package has it in a file (`scripts/write-commit.ts`), and in a checkout git is asked.
 */
export function findCommit(): string {
  if (typeof BUILD_COMMIT === 'string') return BUILD_COMMIT;
  if (existsSync(`${ROOT}.git`)) return askGit() ?? UNKNOWN_COMMIT;
  const file = `${ROOT}commit.txt`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : UNKNOWN_COMMIT;
}

/** Undefined if git is missing, fails or takes long. */
function askGit(): string | undefined {
  // With both paths, variables of git that lead to another checkout have no effect. Git starts no program of the checkout.
  const checkout = '--git-dir=.git --work-tree=. --no-optional-locks -c core.fsmonitor=false';
  const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  try {
    const { success, stdout } = Bun.spawnSync(
      ['git', '-C', ROOT, ...checkout.split(' '), ...describe],
      {
        stderr: 'ignore',
        timeout: GIT_TIMEOUT_MS,
      },
    );
    return success ? stdout.toString().trim() : undefined;
  } catch {
    return undefined;
  }
}

/** The schema that this program needs for the engine of a database. Loads only the migrations of that engine. */
export async function schemaFor(database: string): Promise<number> {
  const { MIGRATIONS } = isPostgresUrl(database)
    ? await import('../storage/postgres/schema/migrations.ts')
    : await import('../storage/sqlite/schema/migrations.ts');
  return versionAfter(MIGRATIONS);
}

/** The commit for people. */
export function describeCommit(): string {
  const commit = findCommit();
  return commit === UNKNOWN_COMMIT ? 'commit unknown: built without git' : `commit ${commit}`;
}

/** One line that begins with the version. */
export async function describeProgram(): Promise<string> {
  const [sqlite, postgres] = await Promise.all([schemaFor(''), schemaFor('postgres://')]);
  const details = [
    describeCommit(),
    `SQLite schema ${sqlite}`,
    `PostgreSQL schema ${postgres}`,
    `Bun ${Bun.version}`,
  ];
  return `${VERSION} (${details.join(', ')})`;
}
