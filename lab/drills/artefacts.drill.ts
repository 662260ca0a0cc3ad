/** The executable and the package, installed as an operator installs them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync } from 'node:fs';
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  ROOT,
  runProgram,
  startCommand,
  type Workplace,
  workplace,
} from '../../test/support/process.ts';

let place: Workplace;
beforeAll(() => {
  place = workplace();
  chmodSync(place.path, 0o755);
});
afterAll(() => place?.remove());

/** Makes the root read-only but for one folder, and continues as a user without privileges. */
const CONFINE = `
  mount --make-rprivate /
  mount --bind "$1" "$1"
  mount -o remount,ro,bind /
  shift
  exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"
`;

const confined = (folder: string, ...command: string[]): string[] => [
  ...['unshare', '--mount', '--fork', 'sh', '-ec', CONFINE, 'sh', folder],
  ...command,
];

const CAN_CONFINE =
  process.getuid?.() === 0 && Bun.which('unshare') !== null && Bun.which('setpriv') !== null;

describe.skipIf(!CAN_CONFINE)('as a user without privileges, on a read-only root', () => {
  test('the executable passes all tests of processes', async () => {
    const executable = place.file('animal-store');
    const script = `${ROOT}scripts/build-executable.ts`;
    const build = await runProgram([process.execPath, script, executable]);
    expect(build).toEqual({ status: 0, stdout: '', stderr: '' });
    const folder = place.file('writable');
    mkdirSync(folder, { mode: 0o777 });
    chmodSync(folder, 0o777);
    const tests = [process.execPath, 'test', '--timeout', '60000', './test/process/'];
    const run = spawnGuarded(confined(folder, ...tests), {
      cwd: ROOT,
      env: { ...process.env, TEST_EXECUTABLE: executable, TMPDIR: folder, HOME: folder },
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const output = await new Response(run.stderr).text();
    // The tests that mount a small disk need more rights, and those that set the clock or record syncs preload a module.
    const noted = output.split('\n').filter((line) => /^(\(fail\)|\(skip\)|Ran )/.test(line));
    console.log([...new Set(noted)].join('\n').replaceAll(/^\(skip\)/gm, 'Not run here:'));
    expect(await run.exited).toBe(0);
  });
});

const REGISTRY = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/';
const HAS_REGISTRY = await fetch(REGISTRY, { method: 'HEAD' }).then(
  () => true,
  () => false,
);

test.skipIf(!HAS_REGISTRY)('npm installs the packed package globally, and it serves', async () => {
  const packed = await runProgram(['npm', 'pack', '--silent', '--pack-destination', place.path]);
  expect(packed.status).toBe(0);
  const prefix = place.file('global');
  const install = Bun.spawnSync(
    ['npm', 'install', '--global', '--allow-scripts=bun', '--prefix', prefix, packed.stdout.trim()],
    { cwd: place.path, stderr: 'pipe' },
  );
  expect([install.exitCode, install.stderr.toString()]).toEqual([0, expect.any(String)]);
  const command = [`${prefix}/bin/animal-store`, 'serve', '--port', '0', '--workers', '2'];
  const service = await startCommand(command, { cwd: place.path });
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  expect((await service.stop()).status).toBe(0);
  expect(place.has('data/animal-store.db')).toBe(true);
});
