/** What `npm pack` packs, with the dependencies that npm installs for users. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findCommit } from '../../src/cli/versions.ts';
import {
  inWorkplace,
  ROOT,
  runProgram,
  startCommand,
  TEST_LIMIT_MS,
  type Workplace,
  workplace,
} from '../support/process.ts';

/** `npm pack` writes the commit into the checkout, which is read-only in the drill of the executable. */
const IS_WRITABLE = process.env['TEST_EXECUTABLE'] === undefined;
const whereWritable = test.skipIf(!IS_WRITABLE);

async function run(...command: string[]): Promise<string> {
  const { status, stdout, stderr } = await runProgram(command);
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stdout}${stderr}`);
  return stdout;
}

const packed = workplace();
beforeAll(async () => {
  if (IS_WRITABLE) await run('npm', 'pack', '--silent', '--pack-destination', packed.path);
}, TEST_LIMIT_MS);
afterAll(() => packed.remove());

const unpack = (place: Workplace) =>
  run('tar', '-xzf', packed.file('animal-store-1.0.0.tgz'), '-C', place.path);

/** Installs the package without the network. @returns the command that npm would link. */
async function installPackage(place: Workplace): Promise<string> {
  await unpack(place);
  const paths = await run('npm', 'ls', '--omit=dev', '--all', '--parseable');
  for (const path of paths.split('\n').filter((line) => line.includes('node_modules'))) {
    const link = join(place.file('package'), relative(ROOT, path));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(path, link);
  }
  const command = place.file('animal-store');
  symlinkSync(place.file('package/bin/animal-store'), command);
  return command;
}

whereWritable(
  'an installed package serves the API, the console and the reference, from any folder',
  inWorkplace(async (place) => {
    const command = await installPackage(place);
    const service = await startCommand([command, 'serve', '--port', '0'], { cwd: place.path });
    const get = (path: string) => fetch(`${service.origin}${path}`, { redirect: 'manual' });
    const page = await (await get('/')).text();
    const script = /src="\.(\/console\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const reference = await (await get('/docs')).text();
    const [, send = ''] = /<script[^>]* src="([^"]+)"/.exec(reference) ?? [];
    const guide = '/docs/integrating';
    for (const path of [
      '/livez',
      '/openapi.json',
      '/docs/search.json',
      guide,
      script,
      `/${send}`,
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
    expect(reference).toContain('<form class="send"');
    expect(place.read('package/commit.txt').toString()).toBe(`${findCommit()}\n`);
    const { status } = await service.stop();
    expect(status).toBe(0);
    expect(place.has('data/animal-store.db')).toBe(true);
    const forTests = `require('./package/testing').startStore().then(({ baseUrl }) => console.log(baseUrl))`;
    const { stdout } = await runProgram(['node', '-e', forTests], { cwd: place.path });
    expect(stdout).toMatch(/^http:.*\/v1\n$/);
  }),
  TEST_LIMIT_MS,
);

whereWritable(
  'an installed package reads neither .env nor bunfig.toml of the folder in which it starts, nor do its workers',
  inWorkplace(async (place) => {
    const command = await installPackage(place);
    await place.write('.env', 'EXTENSIONS=invalid\n');
    await place.write('bunfig.toml', 'preload = ["./missing.ts"]\n');
    const flags = ['--port', '0', '--workers', '2'];
    const service = await startCommand([command, 'serve', ...flags], { cwd: place.path });
    expect((await service.stop()).status).toBe(0);
  }),
  TEST_LIMIT_MS,
);

whereWritable(
  'without the package of the runtime, the command says what to do',
  inWorkplace(async (place) => {
    await unpack(place);
    const { status, stderr } = await runProgram([place.file('package/bin/animal-store'), 'serve']);
    expect([status, stderr]).toEqual([
      1,
      `animal-store: The package bun is missing beside ${place.file('package')}: install animal-store with npm.\n`,
    ]);
  }),
  TEST_LIMIT_MS,
);
