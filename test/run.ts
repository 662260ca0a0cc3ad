/**
 * Runs all tests, then those of the contract that depend on the engine on PostgreSQL, even if a test failed before. Adds up the results.
 */
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../scripts/executable-bundle.ts';
import { buildThread } from './built-thread.ts';
import { emptyCluster } from './support/postgres-server.ts';
import { ROOT } from './support/process.ts';
import { addUp, report, runTests, showSlowest } from './support/run-tests.ts';

if (process.argv.length > 2) {
  console.error('`npm test` runs all tests. For some of them: npx bun test --timeout 60000 FILE');
  process.exit(2);
}

const FLAGS = ['--no-isolate', '--timeout', '90000'];

/** Tests start some hundred processes of the executable. It replaces the one of the last run as a whole, which may still run. */
const BUILT = `${ROOT}test/.cache/animal-store`;
const unfinished = `${BUILT}-${process.pid}`;
// Once, instead of in each process of the tests.
await Promise.all([buildExecutable(unfinished), emptyCluster()]);
renameSync(unfinished, BUILT);
/** A browser ends with the process of its tests, and leaves folders. */
const scratch = mkdtempSync(join(tmpdir(), 'tests-'));
// If the tests run as root, servers of PostgreSQL run as another user.
chmodSync(scratch, 0o1777);
const environment = {
  TMPDIR: scratch,
  TEST_THREAD: await buildThread(scratch),
  // The runtime's last compiler is for code that runs for minutes: without it, tests take a tenth less processor time. Services have it.
  BUN_JSC_useFTLJIT: '0',
  // Memory that is given back at once is soon needed again.
  MIMALLOC_PURGE_DELAY: '10000',
};
// Two more than the processors that the tests are made for: a third of the time, tests wait for timers and other processes.
const all = await runTests(['--parallel=4', ...FLAGS], { TEST_BUILT: BUILT, ...environment });
/** What depends on the engine: what is stored, listed, searched, counted and retried. Credentials, bodies, cursors and ends of streams do not. */
const CONTRACT = [
  'operations',
  'invariants/concurrency',
  'invariants/model',
  'invariants/order',
  'invariants/returned-orders',
  'database-gauges.test.ts',
  'http/cache-and-jobs',
  'http/event-privacy',
  'http/idempoten',
  'http/logged-changes',
  'http/pages-by-time',
  'http/request-batching',
  'http/response-cache',
  'http/search',
  'http/stream-races',
].map((name) => `test/contract/${name}`);
// Servers of PostgreSQL use the processors, too: a third process takes longer to start than it saves.
const onPostgres = await runTests(['--parallel=2', ...FLAGS, ...CONTRACT], {
  TEST_ENGINE: 'postgres',
  ...environment,
});
rmSync(scratch, { recursive: true, force: true });
showSlowest(all);
report(addUp([all, onPostgres]));
