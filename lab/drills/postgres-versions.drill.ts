/** The storage and contract tests on every supported version of PostgreSQL. */
import { expect, test } from 'bun:test';
import { spawnGuarded } from '../../test/support/guard.ts';
import { POSTGRES_VERSIONS } from '../../test/support/postgres-versions.ts';
import { ROOT } from '../../test/support/process.ts';

const SUITES = ['test/storage', 'test/contract'];

/** Longer than the tests take on a busy machine. */
const LIMIT_MS = 30 * 60_000;

test.each([...POSTGRES_VERSIONS])(
  'PostgreSQL %s passes the storage and contract tests',
  async (version) => {
    const run = spawnGuarded([process.execPath, 'test', '--timeout', '60000', ...SUITES], {
      cwd: ROOT,
      env: { ...process.env, TEST_POSTGRES: version, TEST_ENGINE: 'postgres' },
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const output = await new Response(run.stderr).text();
    const status = await run.exited;
    // The output lists failed tests twice.
    const lines = new Set(output.split('\n').map((line) => line.replace(/ \[.*ms\]$/, '')));
    const failed = [...lines].filter((line) => line.startsWith('(fail)'));
    const passed = Number(/^ *(\d+) pass$/m.exec(output)?.[1]);
    console.log(`PostgreSQL ${version}: ${passed} passed, ${failed.length} failed`);
    expect({ status, failed }).toEqual({ status: 0, failed: [] });
    expect(passed).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
