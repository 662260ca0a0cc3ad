import { expect, test } from 'bun:test';
import packageJson from '../../package.json' with { type: 'json' };
import { findCommit } from '../../src/cli/versions.ts';
import {
  animalStore,
  inWorkplace,
  ONE_SENTENCE,
  startService,
  TEST_LIMIT_MS,
  withService,
} from '../support/process.ts';

const COMMANDS = [
  'serve',
  'keys',
  'keys create',
  'keys list',
  'keys revoke',
  'keys rotate',
  'import',
  'events',
  'renew-events',
  'export',
  'usage',
  'openapi',
];

test('--version prints the version first, then the commit and the schemas, on standard output', async () => {
  const { status, stdout, stderr } = await animalStore(['--version']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toStartWith(`${packageJson.version} (commit ${findCommit()}`);
  expect(stdout).toMatch(/, SQLite schema \d+, PostgreSQL schema \d+, Bun [\d.]+\)\n$/);
});

test('--help prints every command and the exit statuses on standard output', async () => {
  const { status, stdout, stderr } = await animalStore(['--help']);
  expect(status).toBe(0);
  expect(stderr).toBe('');
  for (const command of ['serve', 'keys', 'import', 'export', 'usage', 'openapi']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  }
  expect(stdout).toContain(
    'Exit status: 0 success, 1 failure, 2 invalid flag, argument or setting.',
  );
});

for (const command of COMMANDS) {
  test(`${command} --help prints the usage and creates no file`, () =>
    inWorkplace(async ({ path, files }) => {
      const run = await animalStore([...command.split(' '), '--help'], { cwd: path });
      expect(run.status).toBe(0);
      expect(run.stderr).toBe('');
      expect(run.stdout).toStartWith(`Usage: animal-store ${command} `);
      expect(files()).toEqual([]);
    })());
}

/** test/reliability/corpus/commands.txt has more. */
const MISUSES: readonly (readonly [what: string, args: string, message: string])[] = [
  ['no command', '', 'Usage: animal-store'],
  ['an unknown command', 'fly', "unknown command 'fly'"],
  ['an invalid value', 'import a --on-error retry', '--on-error must be'],
];

for (const [what, args, message] of MISUSES) {
  test(`${what} exits with status 2 and a message on standard error, and creates no file`, () =>
    inWorkplace(async ({ path, files }) => {
      const run = await animalStore(args.split(' ').filter(Boolean), { cwd: path });
      expect(run.stderr).toContain(message);
      expect(run.stdout).toBe('');
      expect(run.status).toBe(2);
      expect(files()).toEqual([]);
    })());
}

test(
  'a command without a database exits with status 1 and one sentence, and creates none',
  inWorkplace(async ({ path, files }) => {
    const run = await animalStore(['keys', 'list', '--database', 'none.db'], { cwd: path });
    expect(run.stderr).toMatch(ONE_SENTENCE);
    expect(run.stderr).toContain('There is no database at none.db');
    expect(run.status).toBe(1);
    expect(files()).toEqual([]);
  }),
  TEST_LIMIT_MS,
);

test(
  'openapi prints the document that the service serves with the same settings',
  inWorkplace(async ({ database, path, files }) => {
    const settings = ['--environment', 'staging', '--base-url', 'https://store.test/v1'];
    await withService(await startService(database, settings), async ({ origin }) => {
      const { port } = new URL(origin);
      const before = files();
      const { status, stdout } = await animalStore(['openapi', ...settings, '--port', port], {
        cwd: path,
      });
      expect(status).toBe(0);
      const served = await (await fetch(`${origin}/openapi.json`)).json();
      expect(JSON.parse(stdout)).toEqual(served);
      expect(
        JSON.parse(stdout)
          .servers.map(({ url }: { url: string }) => url)
          .sort(),
      ).toEqual(['https://store.test/v1', `${origin}/v1`].sort());
      expect(files()).toEqual(before);
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'usage prints a sentence if no operation has been called yet',
  inWorkplace(async ({ database }) => {
    await animalStore(['keys', 'create', '--name', 'a', '--database', database]);
    const run = (...flags: string[]) => animalStore(['usage', ...flags, '--database', database]);
    expect((await run()).stdout).toBe('No deprecated or beta operation has been called yet.\n');
    expect((await run('--all')).stdout).toBe('No operation has been called yet.\n');
    expect((await run('--json')).stdout).toBe('[]\n');
    expect((await run('--all', '--days')).stdout).toBe(
      'No operation was called in the last 30 days.\n',
    );
  }),
  TEST_LIMIT_MS,
);
