/**
 * Runs all tests, then the contract again on PostgreSQL, even if a test failed before. Adds up the results.
 */
import { addUp, report, runTests } from './support/run-tests.ts';

if (process.argv.length > 2) {
  console.error('`npm test` runs all tests. For some of them: npx bun test --timeout 60000 FILE');
  process.exit(2);
}

// One more than the processors that the tests are made for: a fifth of the time, tests wait for timers and other processes.
const FLAGS = ['--parallel=3', '--no-isolate', '--timeout', '60000'];

const all = await runTests(FLAGS);
const onPostgres = await runTests([...FLAGS, 'test/contract'], { TEST_ENGINE: 'postgres' });
report(addUp([all, onPostgres]));
