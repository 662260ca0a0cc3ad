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

const MISUSES: readonly (readonly [what: string, args: string, message: string])[] = [
  ['no command', '', 'Usage: animal-store'],
  ['an unknown command', 'fly', "unknown command 'fly'"],
  ['an unknown command of keys', 'keys fly', "unknown command 'fly'"],
  ['keys without a command', 'keys', 'Usage: animal-store keys'],
  ['an unknown flag', '--fly', "unknown option '--fly'"],
  ['an unknown flag of serve', 'serve --fly', "unknown option '--fly'"],
  ['an unknown flag of import', 'import a.csv --fly', "unknown option '--fly'"],
  ['a setting that the command does not take', 'export --port 1', "unknown option '--port'"],
  ['a flag without its value', 'serve --port', 'argument missing'],
  ['import without a file', 'import', "missing required argument 'file'"],
  ['import with two files', 'import a.csv b.csv', 'too many arguments'],
  ['keys revoke without an id', 'keys revoke', "missing required argument 'id'"],
  ['keys rotate without an id', 'keys rotate', "missing required argument 'id'"],
  ['keys create without a name', 'keys create', "required option '--name <name>' not specified"],
  ['usage with an argument', 'usage all', 'too many arguments'],
  ['export in a format that cannot be exported', 'export --format json', '--format must be'],
  [
    'export to a file with the extension of such a format',
    'export --output a.json',
    '--output has the extension of a format that cannot be exported',
  ],
  ['import in an unknown format', 'import a --format xml', '--format must be one of'],
  ['import with an unknown --on-error', 'import a --on-error retry', '--on-error must be'],
  ['import with a bad category', 'import a --category 1.5', '--category must be'],
  [
    'import with a category beyond 64 bits',
    'import a --category 9223372036854775808',
    '--category',
  ],
  ['import with a map without a field', 'import a --map Species', '--map must be column=field'],
  [
    'import with a map to an unknown field',
    'import a --map Species=colour',
    '--map must be column=field',
  ],
  ['import with a map without a column', 'import a --map =name', '--map must be column=field'],
  ['import with two columns for a field', 'import a --map A=name --map B=name', 'two columns'],
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

for (const command of ['keys list', 'keys revoke 1', 'keys rotate 1', 'usage', 'export']) {
  test(`${command} without a database exits with status 1 and one sentence, and creates none`, () =>
    inWorkplace(async ({ path, files }) => {
      const run = await animalStore([...command.split(' '), '--database', 'none.db'], {
        cwd: path,
      });
      expect(run.stderr).toMatch(ONE_SENTENCE);
      expect(run.stderr).toContain('There is no database at none.db');
      expect(run.status).toBe(1);
      expect(files()).toEqual([]);
    })());
}

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
