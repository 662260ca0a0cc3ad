import { expect, test } from 'bun:test';
import packageJson from '../../package.json' with { type: 'json' };
import { findCommit } from '../../src/cli/versions.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { animalStore, startService, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

/** The arguments with which each command runs, on a catalogue with one key. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'keys create': '--name a',
  'keys list': '',
  'keys revoke': '1',
  'keys rotate': '1',
  import: 'rows.csv',
  export: '',
  copy: '--from animals.db --to copy.db',
  backup: 'backup.db',
  restore: 'backup.db',
  events: '',
  'renew-events': '',
  check: '',
  status: '',
  migrate: '',
  grants: '--role store_copy',
  usage: '',
  openapi: '',
};
const COMMANDS = ['serve', 'keys', ...Object.keys(ARGUMENTS)];

/** Values of the options that are no settings. The ones of `copy` are above; `--follow` does not end. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--all': [],
  '--categories': [],
  '--category': ['1'],
  '--check': [],
  '--days': [],
  '--escape-formulas': ['--format', 'csv'],
  '--expires': ['90d'],
  '--format': ['csv'],
  '--grace': ['1h'],
  '--json': [],
  '--keep-ids': [],
  '--map': ['name=name'],
  '--name': ['a'],
  '--on-error': ['skip'],
  '--output': ['out.csv'],
  '--repair': [],
  '--replace': [],
  '--role': ['store_copy'],
  '--scopes': ['pets:read'],
  '--since': [`${'0'.repeat(8)}-1`],
  '--subject': ['pets/1'],
  '--type': ['pet.created'],
};
const ELSEWHERE = ['--help', '--from', '--to', '--from-url-file', '--to-url-file', '--follow'];

/** The settings of PostgreSQL and of a URL file, which need files. */
const SETTING_VALUES: Readonly<Record<string, string>> = {
  '--database': 'animals.db',
  '--database-url-file': 'url',
  '--database-ca-file': 'a.pem',
  '--database-cert-file': 'a.pem',
  '--database-key-file': 'a.pem',
  '--base-url': 'https://store.test/v1',
  '--staging-base-url': 'https://store.test/v1',
};

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
  test(`${command} --help prints the usage and creates no file`, async () => {
    const run = await animalStore([...command.split(' '), '--help'], { cwd: place.path });
    expect(run.status).toBe(0);
    expect(run.stderr).toBe('');
    expect(run.stdout).toStartWith(`Usage: animal-store ${command} `);
    expect(place.files()).toEqual([]);
  });
}

const settingOf = (flag: string) => Object.values(SETTINGS).find((one) => one.flag === flag);

/** The option with a valid value. */
function filled(flag: string): readonly string[] {
  const setting = settingOf(flag);
  if (setting === undefined) return [flag, ...(VALUES[flag] ?? ['NO VALUE'])];
  const value = SETTING_VALUES[flag] ?? ('default' in setting ? setting.default : 'NO VALUE');
  return [flag, value];
}

test.each(Object.entries(ARGUMENTS))(
  '%s takes each option that its help offers',
  async (command, args) => {
    const { path: cwd, write } = place;
    const run = (...words: readonly string[]) =>
      animalStore([...command.split(' '), ...args.split(' ').filter(Boolean), ...words], {
        cwd,
      });
    await write('rows.csv', 'name,categoryId\nRex,1\n');
    await write('url', 'postgres://a@127.0.0.1:1/b');
    await animalStore(['keys', 'create', '--name', 'a', '--database', 'animals.db'], { cwd });
    if (command === 'restore')
      await animalStore(['backup', 'backup.db', '--database', 'animals.db'], { cwd });
    const { stdout: help } = await run('--help');
    const offered = [...help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
    const flags = offered.filter((flag) => !ELSEWHERE.includes(flag));
    const isDatabaseOffered = flags.includes('--database');
    // A whole list of settings at once, then one option after the other.
    const settings = flags.filter((flag) => settingOf(flag) && !/-url-file$/.test(flag));
    const alone = flags.filter((flag) => !settings.includes(flag));
    for (const options of [settings, ...alone.map((flag) => [flag])]) {
      const needsFile = isDatabaseOffered && !options.some((flag) => /^--database/.test(flag));
      const database = needsFile ? ['--database', 'animals.db'] : [];
      const { status, stderr } = await run(...options.flatMap(filled), ...database);
      expect({ options, stderr, isRefused: status === 2 }).toMatchObject({ isRefused: false });
    }
  },
);

test.each([
  ['backup', ['--database', '--help', '--json', '--replace']],
  ['restore', ['--database', '--help', '--json']],
])('%s offers no options of PostgreSQL, for which it is not', async (command, offered) => {
  const { stdout } = await animalStore([command, '--help']);
  const flags = [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(flags.sort()).toEqual([...offered]);
  expect(stdout).not.toContain('PostgreSQL');
});

test('openapi prints the document that the service serves with the same settings', async () => {
  const { database, path, files } = place;
  const settings = ['--environment', 'staging', '--base-url', 'https://store.test/v1'];
  await using service = await startService(database, settings);
  const { port } = new URL(service.origin);
  const before = files();
  const { status, stdout } = await animalStore(['openapi', ...settings, '--port', port], {
    cwd: path,
  });
  expect(status).toBe(0);
  const served = await (await fetch(`${service.origin}/openapi.json`)).json();
  expect(JSON.parse(stdout)).toEqual(served);
  expect(files()).toEqual(before);
});

test('usage prints a sentence if no operation has been called yet', async () => {
  const { database } = place;
  await animalStore(['keys', 'create', '--name', 'a', '--database', database]);
  const run = (...flags: string[]) => animalStore(['usage', ...flags, '--database', database]);
  expect((await run()).stdout).toBe('No deprecated or beta operation has been called yet.\n');
  expect((await run('--all')).stdout).toBe('No operation has been called yet.\n');
  expect((await run('--json')).stdout).toBe('[]\n');
  expect((await run('--all', '--days')).stdout).toBe(
    'No operation was called in the last 30 days.\n',
  );
});
