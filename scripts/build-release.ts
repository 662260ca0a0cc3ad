/**
 * Builds what a release publishes into a folder, by default dist: the executable with its licences, the packages of the service
 * and the SDK, the SBOM of each package (CycloneDX), and the checksums of all.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
// Absolute: npm packs each package in its own folder.
const outdir = resolve(process.argv[2] ?? DIST);

if (outdir === DIST) rmSync(DIST, { recursive: true, force: true });
if (existsSync(outdir)) {
  console.error(`${outdir} exists: name a folder that does not.`);
  process.exit(2);
}
mkdirSync(outdir, { recursive: true });
npm(ROOT, 'run', '--silent', 'build', '--', join(outdir, 'animal-store'));
for (const [folder, type] of [
  [ROOT, 'application'],
  [join(ROOT, 'sdk'), 'library'],
] as const) {
  const packed = npm(folder, 'pack', '--silent', '--pack-destination', outdir).trim();
  writeFileSync(join(outdir, packed.replace(/\.tgz$/, '.cdx.json')), sbom(folder, type));
}
writeFileSync(join(outdir, 'SHA256SUMS'), checksums());

interface Locked {
  readonly dev?: boolean;
  /** A tool of the developers is an optional peer of a dependency. */
  readonly devOptional?: boolean;
}

function npm(folder: string, ...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
}

/**
 * The SBOM of a package with everything that npm may install for its users. `npm sbom --omit dev` would leave out a dependency
 * that a tool of the developers needs, too, so npm reads a lockfile without these tools.
 */
function sbom(folder: string, type: 'application' | 'library'): string {
  const { devDependencies, ...metadata } = readJson(join(folder, 'package.json'));
  const lockfile = readJson(join(ROOT, 'package-lock.json'));
  const isNeeded = ([path, { dev, devOptional }]: [string, Locked]) =>
    path !== '' && !dev && !devOptional && metadata.dependencies !== undefined;
  const packages = Object.fromEntries(Object.entries<Locked>(lockfile.packages).filter(isNeeded));
  const place = mkdtempSync(join(tmpdir(), 'animal-store-sbom-'));
  try {
    const write = (name: string, content: object) =>
      writeFileSync(join(place, name), JSON.stringify(content));
    write('package.json', metadata);
    write('package-lock.json', { ...lockfile, packages: { '': metadata, ...packages } });
    const flags = ['--package-lock-only', '--sbom-format=cyclonedx', `--sbom-type=${type}`];
    const document = JSON.parse(npm(place, 'sbom', ...flags));
    // npm takes the name of the folder.
    document.metadata.component.name = metadata.name;
    return `${JSON.stringify(document, null, 2)}\n`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** In the format that `sha256sum --check` reads. */
function checksums(): string {
  const lines = readdirSync(outdir).map((name) => {
    const hash = new Bun.CryptoHasher('sha256').update(readFileSync(join(outdir, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return lines.sort().join('');
}
