/** What `npm run release` builds: the executable and the packages, installed as an operator installs them, and what is said of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import metadata from '../../package.json' with { type: 'json' };
import { spawnGuarded } from '../../test/support/guard.ts';
import {
  ROOT,
  runProgram,
  startCommand,
  type Workplace,
  workplace,
} from '../../test/support/process.ts';

let place: Workplace;
/** The file of the release with this name. */
const released = (name: string) => place.file(`release/${name}`);
beforeAll(async () => {
  place = workplace();
  chmodSync(place.path, 0o755);
  const script = `${ROOT}scripts/build-release.ts`;
  const build = await runProgram([process.execPath, script, 'release'], { cwd: place.path });
  expect(build).toEqual({ status: 0, stdout: '', stderr: '' });
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

const PACKAGE = `animal-store-${metadata.version}.tgz`;
const SDK = `animal-store-client-${metadata.version}.tgz`;

test('the checksums are of all files', async () => {
  const { stdout } = await runProgram(['sha256sum', '--check', 'SHA256SUMS'], {
    cwd: place.file('release'),
  });
  const files = ['LICENSE', 'THIRD-PARTY-LICENSES.md', 'animal-store', PACKAGE, SDK].flatMap(
    (name) => (name.endsWith('.tgz') ? [name.replace('.tgz', '.cdx.json'), name] : name),
  );
  expect(stdout.trim().split('\n').sort()).toEqual(files.map((name) => `${name}: OK`).sort());
});

const sbomOf = (name: string) =>
  JSON.parse(readFileSync(released(name.replace('.tgz', '.cdx.json')), 'utf8'));

test('the SBOM of the service has each package whose licence is stated, and no tool', () => {
  const { metadata: about, components } = sbomOf(PACKAGE);
  expect(about.component).toMatchObject({ name: 'animal-store', version: metadata.version });
  const refs: string[] = components.map((component: { purl: string }) =>
    decodeURIComponent(component.purl.replace('pkg:npm/', '')),
  );
  const page = readFileSync(released('THIRD-PARTY-LICENSES.md'), 'utf8');
  const stated = [...page.matchAll(/^### (\S+) (\S+) \(/gm)].map(
    (found) => `${found[1]}@${found[2]}`,
  );
  expect(stated.length).toBeGreaterThan(5);
  expect(refs).toEqual(expect.arrayContaining([...stated, `bun@${metadata.dependencies.bun}`]));
  const tools = Object.keys(metadata.devDependencies);
  expect(tools.filter((tool) => refs.some((ref) => ref.startsWith(`${tool}@`)))).toEqual([]);
});

test('the SBOM of the SDK has no package', () => {
  const { metadata: about, components } = sbomOf(SDK);
  expect([about.component.name, components]).toEqual(['@animal-store/client', []]);
});

test.each([PACKAGE, SDK])('npm would publish %s without a warning', async (name) => {
  const publish = ['npm', 'publish', '--dry-run', released(name)];
  const { status, stderr } = await runProgram(publish, { cwd: place.path });
  const warnings = stderr.split('\n').filter((line) => line.startsWith('npm warn'));
  expect([
    status,
    warnings.filter((line) => !line.includes('requires you to be logged in')),
  ]).toEqual([0, []]);
});

const CAN_CONFINE =
  process.getuid?.() === 0 && Bun.which('unshare') !== null && Bun.which('setpriv') !== null;

describe.skipIf(!CAN_CONFINE)('as a user without privileges, on a read-only root', () => {
  test('the executable passes all tests of processes', async () => {
    const executable = released('animal-store');
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
  const prefix = place.file('global');
  const install = Bun.spawnSync(
    ['npm', 'install', '--global', '--allow-scripts=bun', '--prefix', prefix, released(PACKAGE)],
    { cwd: place.path, stderr: 'pipe' },
  );
  expect([install.exitCode, install.stderr.toString()]).toEqual([0, expect.any(String)]);
  const command = [`${prefix}/bin/animal-store`, 'serve', '--port', '0', '--workers', '2'];
  const service = await startCommand(command, { cwd: place.path });
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  expect((await service.stop()).status).toBe(0);
  expect(place.has('data/animal-store.db')).toBe(true);
});
