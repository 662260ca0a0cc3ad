/**
 * Runs all tests, then the contract again on PostgreSQL, even if a test failed before. Adds up the results.
 */
import { addUp, report, runTests } from './support/run-tests.ts';

if (process.argv.length > 2) {
  console.error('`npm test` runs all tests. For some of them: npx bun test --timeout 60000 FILE');
  process.exit(2);
}

// Two processes: more of them slow each other down on two processors.
const FLAGS = ['--parallel=2', '--no-isolate', '--timeout', '60000'];

const all = await runTests(FLAGS);
const onPostgres = await runTests([...FLAGS, 'test/contract'], { TEST_ENGINE: 'postgres' });
report(addUp([all, onPostgres]));
