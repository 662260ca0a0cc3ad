/** The random sequences of `npm test`, many more of them, on each engine. */
import { expect, test } from 'bun:test';
import { ROOT } from '../../test/support/process.ts';
import { runTests } from '../../test/support/run-tests.ts';

const FILES = ['model', 'order-model', 'properties', 'concurrency', 'cached-responses'].map(
  (name) => `${ROOT}test/contract/invariants/${name}.test.ts`,
);

/** On a quiet machine, 2,000 sequences take four minutes. */
const LIMIT_MS = 30 * 60_000;

test.each([
  ['sqlite', 2_000],
  ['postgres', 200],
])(
  'on %s, the service agrees with its models in %d random sequences',
  async (engine, sequences) => {
    const { passed, failed, succeeded } = await runTests(['--timeout', '600000', ...FILES], {
      TEST_ENGINE: engine,
      MODEL_SEQUENCES: String(sequences),
    });
    expect({ failed, succeeded }).toEqual({ failed: 0, succeeded: true });
    expect(passed).toBeGreaterThan(FILES.length);
  },
  LIMIT_MS,
);
