/** Runs the drills. Prints the skipped ones again at the end, and the counts, zeros included. */
import { existsSync, readFileSync } from 'node:fs';
import { report, runTests } from '../../test/support/run-tests.ts';
import { missingPackages } from '../installed.ts';

const files = process.argv.slice(2);
if (files.length === 0 || !files.every((file) => existsSync(file))) {
  console.error('drills: name files that exist, such as ./lab/drills/backups.drill.ts.');
  process.exit(2);
}
const missing = missingPackages();
if (missing && files.some((file) => readFileSync(file, 'utf8').includes('inPackages('))) {
  console.error(missing);
  process.exit(1);
}
report(await runTests(['--timeout', '600000', ...files]));
