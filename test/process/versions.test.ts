/** Which program runs: version, commit and schema, in every place where an operator looks. */
import { describe, expect, test } from 'bun:test';
import { cpSync, symlinkSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeCommit, findCommit } from '../../src/cli/versions.ts';
import { versionAfter } from '../../src/storage/migrations.ts';
import { MIGRATIONS as POSTGRES } from '../../src/storage/postgres/schema/migrations.ts';
import { MIGRATIONS as SQLITE } from '../../src/storage/sqlite/schema/migrations.ts';
import { createKey } from '../support/create-key.ts';
import { animalStore, ROOT, runProgram, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintained } from './maintained.ts';

const place = useEach(workplace);

/** What a package consists of, except its commit. */
const SOURCES = ['bin', 'package.json', ...packageJson.files].filter(
  (name) => name !== 'commit.txt',
);

function copySources(place: Workplace): void {
  for (const name of SOURCES) {
    cpSync(ROOT + name, place.file(name), { recursive: true });
  }
  symlinkSync(`${ROOT}node_modules`, place.file('node_modules'));
}

/** What `--version` prints, by the sources in a folder. */
async function versionIn({ path }: Workplace): Promise<string> {
  const print = "console.log(await (await import('./src/cli/versions.ts')).describeProgram())";
  return (await runProgram([process.execPath, '-e', print], { cwd: path })).stdout;
}

const schema = versionAfter(SQLITE);
const { version } = packageJson;

const versionWith = (commit: string): string =>
  `${version} (commit ${commit}, SQLite schema ${schema}, PostgreSQL schema ${versionAfter(POSTGRES)}, Bun ${Bun.version})\n`;

test('a program without git shows the commit from which it was packed, if there is one', async () => {
  copySources(place);
  expect(await versionIn(place)).toBe(versionWith('unknown: built without git'));
  await place.write('commit.txt', '0123456789ab\n');
  expect(await versionIn(place)).toBe(versionWith('0123456789ab'));
});

test('status shows the version and the commit, and so does -V of a command', async () => {
  await createKey(place.database);
  const commit = findCommit();
  const status = await maintained(place.database, 'status');
  expect(status.split('\n')[0]?.replace(/ +/, ' ')).toBe(
    `Program animal-store ${version} (${describeCommit()}) on Bun ${Bun.version}`,
  );
  const json = JSON.parse(await maintained(place.database, 'status', '--json'));
  expect(json).toMatchObject({ version, commit, schemaVersion: schema });
  const { stdout } = await animalStore(['keys', '-V']);
  expect(stdout).toBe((await animalStore(['--version'])).stdout);
});

describe.skipIf(!Bun.which('git'))('a checkout (needs git)', () => {
  test('shows the commit of git, and -dirty after a change that is not committed', async () => {
    copySources(place);
    const git = async (...args: string[]) => {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
      const { status, stdout } = await runProgram(['git', ...identity, '-C', place.path, ...args]);
      expect(status).toBe(0);
      return stdout.trim();
    };
    await git('init', '--quiet');
    await git('add', ...SOURCES);
    await git('commit', '--quiet', '--message', 'First');
    const commit = await git('rev-parse', '--short=12', 'HEAD');
    // A checkout that was packed before has this file, too.
    await place.write('commit.txt', '0123456789ab\n');
    expect(await versionIn(place)).toBe(versionWith(commit));
    await place.write('package.json', `${place.read('package.json')}\n`);
    expect(await versionIn(place)).toBe(versionWith(`${commit}-dirty`));
  });
});
