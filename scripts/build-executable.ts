/**
 * Builds the service as one executable, by default dist/animal-store. It contains the runtime, the migrations and all
 * pages. The licences that must accompany it are written beside it.
 */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXECUTABLE_BUNDLE } from './executable-bundle.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

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
const beside = (name: string): string => join(dirname(outfile), name);
copyFileSync(`${ROOT}LICENSE`, beside('LICENSE'));
writeFileSync(beside('THIRD-PARTY-LICENSES.md'), await thirdPartyLicenses());
