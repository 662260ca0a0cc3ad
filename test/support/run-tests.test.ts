/** How `npm test` and the drills run tests. */
import { expect, test } from 'bun:test';
import { inWorkplace, runProgram } from './process.ts';
import { namedIn, runTests } from './run-tests.ts';

const LOCAL_TEST = `
  import { expect, test } from 'bun:test';
  test('a service of this machine answers', async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') });
    expect(await (await fetch(server.url)).text()).toBe('ok');
    await server.stop(true);
  });
`;

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])(
  'tests reach the services of this machine directly, also where %s is set',
  (name) =>
    inWorkplace(async ({ write }) => {
      const file = await write('local.test.ts', LOCAL_TEST);
      const variables = { [name]: 'http://127.0.0.1:9', no_proxy: 'registry.example' };
      const command = [process.execPath, 'lab/drills/run.ts', file];
      const { status, stdout } = await runProgram(command, { variables });
      expect(stdout).toEndWith('1 passed, 0 failed, 0 skipped\n');
      expect(status).toBe(0);
    })(),
);

const TEST_WITH_HOOK = `
  import { beforeAll, describe, test } from 'bun:test';
  beforeAll(() => Bun.sleep(100));
  describe('a group', () => test('does nothing', () => {}));
`;

test(
  'the time of a file includes its hooks, and groups have none of their own',
  inWorkplace(async ({ write }) => {
    const { durations, passed } = await runTests([await write('hook.test.ts', TEST_WITH_HOOK)]);
    expect([passed, ...durations.values()]).toEqual([1, expect.any(Number)]);
    expect([...durations.values()][0]).toBeGreaterThan(99);
  }),
);

test('a failed test is named once at the end, with its error', () => {
  const lines = ['(pass) one', 'error: 2 is not 1', '(fail) two', '(skip) three', '', '(fail) two'];
  expect(namedIn(lines.join('\n'))).toEqual(['error: 2 is not 1\n(fail) two', '(skip) three']);
});
