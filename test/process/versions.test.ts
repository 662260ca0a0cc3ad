/** Which program runs: version, commit and schema, in every place where an operator looks. */
import { describe, expect, test } from 'bun:test';
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { versionAfter } from '../../src/storage/migrations.ts';
import { MIGRATIONS as POSTGRES } from '../../src/storage/postgres/schema/migrations.ts';
import { MIGRATIONS as SQLITE } from '../../src/storage/sqlite/schema/migrations.ts';
import { createKey } from '../support/create-key.ts';
import { scrape } from '../support/metrics.ts';
import {
  parseLog,
  ROOT,
  runProgram,
  startCommand,
  type Workplace,
  withService,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

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

const run = ({ file }: Workplace, ...args: string[]) =>
  runProgram([file('bin/animal-store'), ...args]);

const schema = versionAfter(SQLITE);
const { version } = packageJson;

const versionWith = (commit: string): string =>
  `${packageJson.version} (commit ${commit}, SQLite schema ${schema}, PostgreSQL schema ${versionAfter(POSTGRES)}, Bun ${Bun.version})\n`;

/** What every place shows, of a service that runs until they were read. */
async function shownBy(place: Workplace, ...flags: string[]) {
  const { database, file } = place;
  const serve = ['serve', '--database', database, '--port', '0', '--metrics-port', '0'];
  const command = [file('bin/animal-store'), ...serve, ...flags];
  const service = await startCommand(command, { showsKey: false });
  return withService(service, async () => {
    const { series } = await scrape(service);
    const { stdout } = await service.stop();
    const status = await run(place, 'status', '--database', database);
    const asJson = await run(place, 'status', '--json', '--database', database);
    return {
      version: (await run(place, '--version')).stdout,
      metric: series.find(({ name }) => name === 'animal_store_build_info')?.labels,
      started: parseLog(stdout).filter((line) => line['event.name'] === 'server_started'),
      status: status.stdout.split('\n')[0]?.replace(/ +/, ' '),
      json: JSON.parse(asJson.stdout),
    };
  });
}

test('a program without git shows the commit from which it was packed, if there is one, and so does each worker', async () => {
  copySources(place);
  expect((await run(place, '--version')).stdout).toBe(versionWith('unknown: built without git'));
  await createKey(place.database);
  const { stdout } = await run(place, 'status', '--json', '--database', place.database);
  expect(JSON.parse(stdout)).toMatchObject({ version, commit: 'unknown', schemaVersion: schema });

  await place.write('commit.txt', '0123456789ab\n');
  const shown = await shownBy(place, '--workers', '2');
  expect(shown.version).toBe(versionWith('0123456789ab'));
  expect(shown.status).toBe(
    `Program animal-store ${version} (commit 0123456789ab) on Bun ${Bun.version}`,
  );
  expect(shown.json).toMatchObject({ version, commit: '0123456789ab' });
  expect(shown.metric).toMatchObject({ version, commit: '0123456789ab', schema: `${schema}` });
  const line = {
    'service.version': version,
    'vcs.ref.head.revision': '0123456789ab',
    'animal_store.schema.version': schema,
  };
  expect(shown.started).toMatchObject([line, line]);
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
    expect((await run(place, '--version')).stdout).toBe(versionWith(commit));
    expect((await run(place, 'keys', '-V')).stdout).toBe(versionWith(commit));
    await place.write('package.json', `${place.read('package.json')}\n`);
    expect((await run(place, '--version')).stdout).toBe(versionWith(`${commit}-dirty`));
    rmSync(place.file('.git'), { recursive: true });
    expect((await run(place, '--version')).stdout).toBe(versionWith('0123456789ab'));
  });
});
