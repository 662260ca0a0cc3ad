/** Runs the drills. Prints the skipped ones again at the end, and the counts, zeros included. */
import { report, runTests } from '../../test/support/run-tests.ts';
import { missingPackages } from '../installed.ts';

const missing = missingPackages();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
report(await runTests(['--timeout', '600000', ...process.argv.slice(2)]));
