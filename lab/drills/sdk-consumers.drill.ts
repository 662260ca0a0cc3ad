/** The packed SDK in the tools of its users: linters of packages, Jest with CommonJS, old compilers and resolutions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { installSdk, run } from '../../test/sdk/packages.ts';
import { installCommands, readExample } from '../../test/support/guide-program.ts';
import { ROOT, runProgram } from '../../test/support/process.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { inPackages } from '../installed.ts';

let folder: ReturnType<typeof temporaryFolder>;
let installed: string;
beforeAll(async () => {
  folder = temporaryFolder();
  ({ installed } = await installSdk(folder.path));
  await run([process.execPath, 'scripts/build-sdk.ts', join(installed, 'dist')]);
  cpSync(join(ROOT, 'sdk/README.md'), join(installed, 'README.md'));
  // What it would build is there.
  await run(
    ['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder.path],
    installed,
  );
  await Bun.write(folder.file('package.json'), '{"name":"shop","version":"1.0.0"}');
});
afterAll(() => folder?.remove());

const toolPath = (name: string) => inPackages('.bin', name);
/** Runs a tool in the folder of the user. */
const runTool = async (name: string, ...args: readonly string[]) => {
  const command = ['node', toolPath(name), ...args];
  const { status, stdout, stderr } = await runProgram(command, { cwd: folder.path });
  return { status, output: stdout + stderr };
};
const packed = () => readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';

test('publint has no finding', async () => {
  const { status, output } = await runTool('publint', 'run', packed(), '--strict');
  expect(output).toContain('All good!');
  expect(status).toBe(0);
});

test('the types are right for each kind of module, says arethetypeswrong', async () => {
  const { status, output } = await runTool('attw', packed(), '--format', 'ascii');
  expect(output).toContain('No problems found');
  expect(status).toBe(0);
});

test('Jest with CommonJS loads it', async () => {
  const source = `
    const { AnimalStore } = require('@animal-store/client');
    test('a list is read', async () => {
      const fetch = async () => Response.json([{ id: 1, name: 'Rex', categoryId: 1 }]);
      const store = new AnimalStore({ baseUrl: 'http://store.example/v1', apiKey: 'key', fetch });
      for await (const { name } of store.pets.list()) expect(name).toBe('Rex');
      expect.assertions(1);
    });
  `;
  await Bun.write(folder.file('shop.test.js'), source);
  const { status, output } = await runTool('jest');
  expect(output).toContain('1 passed, 1 total');
  expect(status).toBe(0);
});

const RESOLUTIONS = [
  ['commonjs', 'node10'],
  ['node16', 'node16'],
  ['esnext', 'bundler'],
] as const;

/** Compiles the user.ts of a folder. @returns what the compiler finds */
async function compile(
  version: string,
  cwd: string,
  module: string,
  moduleResolution: string,
): Promise<string> {
  const lib = ['ES2022', 'DOM'];
  const strict = { strict: true, noEmit: true, target: 'ES2022', types: [], lib };
  const compilerOptions = { ...strict, module, moduleResolution };
  const config = JSON.stringify({ compilerOptions, files: ['user.ts'] });
  await Bun.write(join(cwd, 'tsconfig.json'), config);
  const name = version === '5.0' ? 'typescript-5.0' : 'typescript';
  const { stdout, stderr } = await runProgram(['node', inPackages(`${name}/bin/tsc`), '-p', cwd]);
  expect(stderr).toBe('');
  return stdout;
}

describe('with the package of the service, installed by npm', () => {
  let project: string;
  beforeAll(async () => {
    project = folder.file('project');
    mkdirSync(project);
    await Bun.write(join(project, 'package.json'), '{"name":"shop","version":"1.0.0"}');
    await run(['npm', 'install', '--no-audit', '--no-fund', join(folder.path, packed())], project);
    const commands = installCommands();
    await run(['sh', '-ec', commands.replaceAll('../animal-store', ROOT)], project);
  }, 120_000);

  test.each([
    ['jest', 'jest.cjs', 'shop.test.js', [], '1 passed, 1 total'],
    ['vitest', 'vitest.mjs', 'shop.test.mjs', ['run'], 'Tests  1 passed (1)'],
  ] as const)(
    'the test of docs/recipes.md passes with %s',
    async (tool, example, file, args, passed) => {
      await Bun.write(join(project, file), readExample(example));
      const program = toolPath(tool);
      const modules = join(project, 'node_modules');
      if (!existsSync(join(modules, tool))) symlinkSync(inPackages(tool), join(modules, tool));
      const command = ['node', program, ...args, file];
      const { stdout, stderr } = await runProgram(command, { cwd: project });
      expect(stdout + stderr).toContain(passed);
    },
  );

  test.each(RESOLUTIONS)(
    'its helper for tests has types with %s and %s',
    async (module, moduleResolution) => {
      const source = `
      import { startStore, type TestStore } from 'animal-store/testing';
      import { AnimalStore } from '@animal-store/client';
      export const start = async (): Promise<AnimalStore> => new AnimalStore(await startStore({ RATE_LIMIT: '1/60s' }));
      // @ts-expect-error A setting is a text.
      export const stop = (): Promise<TestStore> => startStore({ PORT: 1 });
    `;
      await Bun.write(join(project, 'user.ts'), source);
      expect(await compile('5.0', project, module, moduleResolution)).toBe('');
    },
  );
});

describe('it compiles', () => {
  const USER = `
    import { AnimalStore } from '@animal-store/client';
    const store = new AnimalStore({ baseUrl: 'https://store.example/v1', apiKey: 'key', int64: 'bigint' });
    export const id: Promise<bigint> = store.pets.get(1n).then((pet) => pet.id);
    // @ts-expect-error An id is a bigint.
    export const text: Promise<string> = store.pets.get(1n).then((pet) => pet.id);
  `;
  const VERSIONS = ['5.0', '5.9'];
  test.each(
    VERSIONS.flatMap((version) => RESOLUTIONS.map((options) => [version, ...options] as const)),
  )('with TypeScript %s, %s and %s', async (version, module, moduleResolution) => {
    await Bun.write(folder.file('user.ts'), USER);
    expect(await compile(version, folder.path, module, moduleResolution)).toBe('');
  });
});
