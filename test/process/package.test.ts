/** The package, with the dependencies that npm installs for users. `lab/drills/artefacts.drill.ts` has the one that npm packs. */
import { afterAll, test as anywhere, beforeAll, expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../package.json' with { type: 'json' };
import { findCommit } from '../../src/cli/versions.ts';
import { versionAfter } from '../../src/storage/migrations.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/schema/migrations.ts';
import { scrape } from '../support/metrics.ts';
import { ROOT, runProgram, startCommand, workplace } from '../support/process.ts';
import { plantHostileFiles } from './hostile-folder.ts';
import { logged } from './logged.ts';

/** To pack writes the commit into the checkout, which is read-only in the drill of the executable. */
const IS_WRITABLE = process.env['TEST_EXECUTABLE'] === undefined;
const test = anywhere.skipIf(!IS_WRITABLE);

async function run(...command: string[]): Promise<string> {
  const { status, stdout, stderr } = await runProgram(command);
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`);
  return stdout;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true; readonly devOptional?: true }>>;
}
const lock: Lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8'));

const packed = workplace();
beforeAll(async () => {
  // It packs the same files as npm, which takes two seconds of a processor.
  if (IS_WRITABLE) await run(process.execPath, 'pm', 'pack', '--destination', packed.path);
});
afterAll(() => packed.remove());

const unpack = (folder: string) =>
  run('tar', '-xzf', packed.file('animal-store-1.0.0.tgz'), '-C', folder);

/** Installs the package without the network. @returns the command that npm would link. */
async function installPackage(place: typeof packed): Promise<string> {
  await unpack(place.path);
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    // Those of other platforms are not in the checkout.
    if (path === '' || dev || devOptional || !existsSync(ROOT + path)) continue;
    const link = join(place.file('package'), path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(ROOT + path, link);
  }
  const command = place.file('animal-store');
  symlinkSync(place.file('package/bin/animal-store'), command);
  return command;
}

test('an installed package serves the API, the console and the reference, and runs nothing of the folder in which it starts, or of those above it', async () => {
  using place = workplace();
  const command = await installPackage(place);
  const above = plantHostileFiles(place.path, 'tsconfig.json');
  const cwd = place.file('current');
  const current = plantHostileFiles(cwd, 'jsconfig.json');
  const flags = ['--port', '0', '--workers', '2', '--metrics-port', '0'];
  const service = await startCommand([command, 'serve', ...flags], { cwd });
  const get = (path: string) => fetch(`${service.origin}${path}`, { redirect: 'manual' });
  const page = await (await get('/')).text();
  const script = /src="\.(\/console\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
  const reference = await (await get('/docs')).text();
  const [, send = ''] = /<script[^>]* src="([^"]+)"/.exec(reference) ?? [];
  const guide = '/docs/integrate';
  const texts: string[] = [];
  for (const path of ['/livez', '/openapi.json', '/docs/search.json', guide, script, `/${send}`]) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    texts.push(await response.text());
  }
  expect(reference).toContain('<form class="send"');
  for (const text of texts.slice(-2)) {
    expect(text.length).toBeGreaterThan(1_000);
    expect(text).not.toContain('hostile');
  }
  const [commit, schema] = [findCommit(), versionAfter(MIGRATIONS)];
  expect(place.read('package/commit.txt').toString()).toBe(`${commit}\n`);
  const { series } = await scrape(service);
  const build = series.find(({ name }) => name === 'animal_store_build_info');
  expect(build?.labels).toMatchObject({ version, commit, schema: `${schema}` });
  const { status, stdout } = await service.stop();
  expect(status).toBe(0);
  expect(logged(stdout, 'server_started')[0]).toMatchObject({
    'service.version': version,
    'vcs.ref.head.revision': commit,
    'animal_store.schema.version': schema,
  });
  expect(place.has('current/data/animal-store.db')).toBe(true);
  expect(await runProgram([command, 'backup', 'backup.db'], { cwd })).toMatchObject({
    status: 0,
  });
  // It starts the command above.
  const forTests = `console.log(typeof require('../package/testing').startStore)`;
  expect((await runProgram(['node', '-e', forTests], { cwd })).stdout).toBe('function\n');
  expect(above() + current()).toBe('');
});

test('without the package of the runtime, the command says what to do', async () => {
  using place = workplace();
  await unpack(place.path);
  const { status, stderr } = await runProgram([place.file('package/bin/animal-store'), 'serve']);
  expect([status, stderr]).toEqual([
    1,
    `animal-store: The package bun is missing beside ${place.file('package')}: run npm ci in a checkout, or install animal-store with npm and --allow-scripts=bun.\n`,
  ]);
});
