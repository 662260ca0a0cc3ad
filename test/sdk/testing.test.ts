/** A real service in the tests of integrators: the tests of docs/recipes.md, and that nothing is left behind. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { startStore as StartStore } from '../../testing/index.cjs';
import { spawnGuarded } from '../support/guard.ts';
import { readExample } from '../support/guide-program.ts';
import { commandOf, ROOT, runProgram, until } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installSdk } from './packages.ts';

let folder: ReturnType<typeof temporaryFolder>;
let temporary: string;
let startStore: typeof StartStore;
beforeAll(async () => {
  folder = temporaryFolder();
  await installSdk(folder.path);
  // With the command of the tests: that of the sources takes three times as long to start.
  const installed = folder.file('node_modules/animal-store');
  for (const name of ['package.json', 'testing'])
    cpSync(ROOT + name, join(installed, name), { recursive: true });
  const command = `#!/bin/sh\nexec ${commandOf('"$@"').join(' ')}\n`;
  const bin = join(installed, 'bin/animal-store');
  await Bun.write(bin, command);
  chmodSync(bin, 0o755);
  ({ startStore } = await import(join(installed, 'testing/index.cjs')));
  temporary = folder.file('temporary');
  mkdirSync(temporary);
});
afterAll(() => folder.remove());

const run = (...command: readonly string[]) =>
  runProgram(command, { cwd: folder.path, variables: { TMPDIR: temporary } });
const nothingIsLeft = () => until(() => readdirSync(temporary).length === 0);
const isServing = ({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) =>
  fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${apiKey}` } }).then(
    ({ ok }) => ok,
    () => false,
  );

test('the test of the page passes with node --test', async () => {
  await Bun.write(folder.file('node.test.mjs'), readExample('node.mjs'));
  const { stdout } = await run('node', '--test', '--test-reporter=tap', 'node.test.mjs');
  expect(stdout).toContain('\n# pass 1\n# fail 0\n');
  await nothingIsLeft();
});

test('the test of the page passes with bun test', async () => {
  const code = readExample('vitest.mjs').replace("from 'vitest'", "from 'bun:test'");
  await Bun.write(folder.file('bun.test.js'), code);
  const { stderr } = await run(process.execPath, 'test', 'bun.test.js');
  expect(stderr).toContain(' 1 pass\n 0 fail\n');
  await nothingIsLeft();
});

test('the service ends with a test that is killed, and its folder is removed', async () => {
  const program = `
      const { startStore } = require('animal-store/testing');
      startStore().then((service) => console.log(JSON.stringify(service)));
      setInterval(() => {}, 1000);
    `;
  const killed = spawnGuarded(['node', '-e', program], {
    cwd: folder.path,
    env: { ...process.env, TMPDIR: temporary },
    stdout: 'pipe',
  });
  const { value } = await killed.stdout.getReader().read();
  const service = JSON.parse(new TextDecoder().decode(value));
  expect(await isServing(service)).toBeTrue();
  expect(readdirSync(temporary)).toHaveLength(1);
  killed.kill('SIGKILL');
  await nothingIsLeft();
  expect(await isServing(service)).toBeFalse();
});

test('services share nothing, whatever the settings of another store, and stop once', async () => {
  const file = folder.file('first-key');
  const address = { BASE_URL: 'https://store.example/v1', HOST: '192.0.2.1', PORT: '1' };
  const database = { DATABASE_URL_FILE: file, DATABASE_URL: file, DATABASE_STANDBY_URLS: file };
  const [one, other] = await Promise.all([
    startStore({ ...address, ...database, FIRST_KEY_FILE: file }),
    startStore({ RATE_LIMIT: '1/60s' }),
  ]);
  expect(existsSync(file)).toBeFalse();
  expect(one.baseUrl).not.toBe(other.baseUrl);
  expect(await isServing({ ...one, apiKey: other.apiKey })).toBeFalse();
  expect([await isServing(one), await isServing(one)]).toEqual([true, true]);
  expect([await isServing(other), await isServing(other)]).toEqual([true, false]);
  await Promise.all([one.stop(), one.stop(), other.stop()]);
  await one.stop();
  expect(await isServing(one)).toBeFalse();
});

test('a service that does not start says why', async () => {
  await expect(startStore({ RATE_LIMIT: 'much' })).rejects.toThrow(
    'The service did not start. animal-store: RATE_LIMIT must be',
  );
});
