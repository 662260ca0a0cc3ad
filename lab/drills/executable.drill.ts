/** The executable of `npm run build`, built of what the build of the image gets. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { COMPILER_FILES, plantHostileFiles } from '../../test/process/hostile-folder.ts';
import { isInImageContext } from '../../test/support/image-context.ts';
import {
  type Outcome,
  ROOT,
  runProgram,
  startCommand,
  type Workplace,
  workplace,
} from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const COMMIT = '0123456789ab';

/** Copies what the build of the image gets. */
function copyImageContext(folder: string): void {
  for (const path of new Bun.Glob('**/*').scanSync({ cwd: ROOT, dot: true })) {
    if (isInImageContext(path)) cpSync(join(ROOT, path), join(folder, path));
  }
}

let place: Workplace;
let context: ReturnType<typeof temporaryFolder>;
let build: Outcome;
beforeAll(async () => {
  place = workplace();
  context = temporaryFolder();
  copyImageContext(context.path);
  symlinkSync(join(ROOT, 'node_modules'), context.file('node_modules'));
  const script = context.file('scripts/build-executable.ts');
  const command = [process.execPath, script, place.file('animal-store')];
  build = await runProgram(command, { variables: { BUILD_COMMIT: COMMIT } });
});
afterAll(() => {
  context?.remove();
  place?.remove();
});

test('it shows the commit that a build without git was given', async () => {
  const { stdout } = await runProgram([place.file('animal-store'), '--version']);
  expect(stdout).toContain(` (commit ${COMMIT}, SQLite schema `);
});

const start = (...flags: string[]) =>
  startCommand([place.file('animal-store'), 'serve', '--port', '0', ...flags], { cwd: place.path });

/** The limit of the console's scripts, compressed. The development version of React exceeds it. */
const MAX_SCRIPT_BYTES = 137_000;

test('it contains the console, and the reference with its script', async () => {
  expect(build).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(place.files()).toEqual(['LICENSE', 'THIRD-PARTY-LICENSES.md', 'animal-store']);
  const service = await start('--database', place.file('pages.db'));
  const load = async (path: string) => {
    const response = await fetch(service.origin + path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const page = await load('/');
  const files = [...page.matchAll(/"\.(\/console\/[^"]+\.(?:js|css))"/g)];
  expect(files).toHaveLength(2);
  for (const [, path = ''] of files) {
    expect(Bun.gzipSync(await load(path)).length).toBeLessThan(MAX_SCRIPT_BYTES);
  }
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await load('/docs')) ?? [];
  for (const path of [`/${script}`, '/docs/search.json', '/docs/integrate', '/openapi.json']) {
    expect((await load(path)).length).toBeGreaterThan(1_000);
  }
  expect((await service.stop()).status).toBe(0);
});

test('the licences of what it contains are beside it', async () => {
  expect(place.read('LICENSE').toString()).toBe(await Bun.file(`${ROOT}LICENSE`).text());
  const licences = place.read('THIRD-PARTY-LICENSES.md').toString();
  const [bun = '', packages] = licences.split('## Packages of npm');
  for (const text of [
    `## Bun ${packageJson.dependencies.bun}\n`,
    'Permission is hereby granted, free of charge',
    'modify the library and relink the application',
    'GNU LIBRARY GENERAL PUBLIC LICENSE\n                       Version 2, June 1991',
    'GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 2.1, February 1999',
  ]) {
    expect(bun).toContain(text);
  }
  expect(packages).toContain('### postgres ');
});

test('it backs up and restores, for which it starts a thread', async () => {
  const [database, backup] = [place.file('original.db'), place.file('backup.db')];
  await (await start('--database', database)).stop();
  const run = (...args: string[]) => runProgram([place.file('animal-store'), ...args]);
  const flags = ['--database', database];
  expect(await run('backup', backup, ...flags)).toMatchObject({ status: 0 });
  expect(await run('restore', backup, ...flags)).toMatchObject({ status: 0 });
  expect(await run('check', ...flags)).toMatchObject({ status: 0 });
});

/** The command of the image that says whether its container is healthy. */
const [, HEALTH_CHECK = ''] =
  /^HEALTHCHECK .*\\\n {2}CMD (.*)$/m.exec(
    readFileSync(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8'),
  ) ?? [];

/** Docker gives these to containers if its client has a proxy. */
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

test('the health check of its image asks the service, whatever proxy is set, and runs nothing of the current folder', async () => {
  const folder = place.file('checked');
  const whatRan = plantHostileFiles(folder, 'tsconfig.json');
  const service = await start('--database', place.file('checked.db'));
  const { port } = new URL(service.origin);
  const path = `${place.path}:${process.env['PATH']}`;
  const check = (variables: Readonly<Record<string, string>>) =>
    runProgram(['sh', '-c', HEALTH_CHECK], {
      cwd: folder,
      variables: { PATH: path, PORT: port, ...variables },
    });
  for (const name of PROXIES) {
    const { status, stderr } = await check({ [name]: 'http://127.0.0.1:9' });
    expect([name, status, stderr]).toEqual([name, 0, '']);
  }
  await service.stop();
  expect((await check({})).status).toBe(1);
  expect(whatRan()).toBe('');
});

test('it starts workers of the same executable', async () => {
  const service = await start('--workers', '2', '--database', place.file('workers.db'));
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  const { status, stdout } = await service.stop();
  expect(status).toBe(0);
  expect(stdout.match(/"server_started"/g)).toHaveLength(2);
});

test.each(COMPILER_FILES)(
  'nothing of the folder in which it starts, or of those above it, runs with it (%s)',
  async (compilerFile) => {
    const folder = place.file(compilerFile);
    const above = plantHostileFiles(folder, compilerFile);
    const cwd = join(folder, 'current');
    const current = plantHostileFiles(cwd, compilerFile);
    const command = [place.file('animal-store'), 'serve', '--port', '0', '--workers', '2'];
    const service = await startCommand(command, { cwd });
    expect((await fetch(`${service.origin}/`)).status).toBe(200);
    const backup = await runProgram([place.file('animal-store'), 'backup', 'backup.db'], { cwd });
    expect(backup.status).toBe(0);
    expect((await service.stop()).status).toBe(0);
    expect(above() + current()).toBe('');
  },
);
