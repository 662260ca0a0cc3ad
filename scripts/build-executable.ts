/**
 * Builds the service as one executable, by default dist/animal-store. It contains the runtime, the migrations and all
 * pages. The licences that must accompany it are written beside it.
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildExecutable } from './executable-bundle.ts';
import { thirdPartyLicenses } from './third-party-licenses.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const [outfile = `${ROOT}dist/animal-store`] = process.argv.slice(2);

await buildExecutable(outfile);
const beside = (name: string): string => join(dirname(outfile), name);
copyFileSync(`${ROOT}LICENSE`, beside('LICENSE'));
writeFileSync(beside('THIRD-PARTY-LICENSES.md'), await thirdPartyLicenses());
