/**
 * Builds the SDK into a folder, by default sdk/dist: an ES module, and in `cjs` a CommonJS module. Each is readable, and has
 * declarations of its own because TypeScript takes the kind of a module from the nearest package.json.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = `${ROOT}sdk/dist`;
const [outdir = DIST] = process.argv.slice(2);

if (outdir === DIST) rmSync(DIST, { recursive: true, force: true });
for (const [format, folder] of [
  ['esm', outdir],
  ['cjs', join(outdir, 'cjs')],
] as const) {
  await Bun.build({
    entrypoints: [`${ROOT}sdk/src/index.ts`],
    outdir: folder,
    target: 'browser',
    format,
    // Not minified: Node.js shows the line that throws an uncaught error, and the bundlers of pages minify.
    minify: { syntax: true },
  });
}
const flags = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', outdir];
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}sdk`, ...flags], { stdio: 'inherit' });
for (const path of readdirSync(outdir, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.d.ts')) continue;
  // Node.js and older versions of TypeScript know no extension .ts.
  const text = readFileSync(join(outdir, path), 'utf8').replaceAll(
    /(from '\.[^']*)\.ts'/g,
    "$1.js'",
  );
  for (const folder of [outdir, join(outdir, 'cjs')]) await Bun.write(join(folder, path), text);
}
writeFileSync(join(outdir, 'cjs/package.json'), '{"type":"commonjs"}\n');
// npm packs a licence only from the folder of the package.
if (outdir === DIST) copyFileSync(`${ROOT}LICENSE`, `${ROOT}sdk/LICENSE`);
