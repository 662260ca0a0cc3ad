/**
 * Builds the service as one executable, by default dist/animal-store. It contains the runtime, the migrations and all
 * pages. The licences that must accompany it are written beside it.
 */
import { copyFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXECUTABLE_BUNDLE } from './executable-bundle.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [outfile = `${ROOT}dist/animal-store`] = process.argv.slice(2);

const { outputs } = await Bun.build({
  ...EXECUTABLE_BUNDLE,
  // Stack traces name the files and lines of the sources.
  sourcemap: 'linked',
  compile: {
    outfile,
    // The runtime would read these files from the folder in which the service starts.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
});
// The executable contains the source maps.
for (const { kind, path } of outputs) if (kind === 'sourcemap') rmSync(path);
for (const name of ['LICENSE', 'THIRD-PARTY-LICENSES.md']) {
  copyFileSync(ROOT + name, join(dirname(outfile), name));
}
