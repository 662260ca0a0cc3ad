/** How `npm test` and the drills run tests. */
import { expect, test } from 'bun:test';
import { inWorkplace, runProgram } from './process.ts';
import { durationsIn, namedIn } from './run-tests.ts';

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

test('the time of a file is that of all its tests, also if it runs beside others', () => {
  const output = `test/a.test.ts:
(pass) one [100.50ms]

test/b.test.ts:
(fail) two [2000.00ms]
(pass) without a time

test/a.test.ts:
(pass) three > (pass) four [0.25ms]
`;
  expect([...durationsIn(output)]).toEqual([
    ['test/a.test.ts', 100.75],
    ['test/b.test.ts', 2_000],
  ]);
});

test('a failed test is named once at the end, with its error', () => {
  const lines = ['(pass) one', 'error: 2 is not 1', '(fail) two', '(skip) three', '', '(fail) two'];
  expect(namedIn(lines.join('\n'))).toEqual(['error: 2 is not 1\n(fail) two', '(skip) three']);
});
