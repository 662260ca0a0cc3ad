/** Builds the SDK into a folder, by default sdk/dist: one readable module, and its declarations. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [outdir = `${ROOT}sdk/dist`] = process.argv.slice(2);

rmSync(outdir, { recursive: true, force: true });
await Bun.build({
  entrypoints: [`${ROOT}sdk/src/index.ts`],
  outdir,
  target: 'browser',
  format: 'esm',
  // Not minified: Node.js shows the line that throws an uncaught error, and the bundlers of pages minify.
  minify: { syntax: true },
});
const flags = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--outDir', outdir];
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}sdk`, ...flags], { stdio: 'inherit' });
// npm packs a licence only from the folder of the package.
if (process.argv[2] === undefined) copyFileSync(`${ROOT}LICENSE`, `${ROOT}sdk/LICENSE`);
