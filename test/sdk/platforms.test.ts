/** The built SDK on each platform, against real services behind a proxy with faults. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import metadata from '../../package.json' with { type: 'json' };
import { sharedChromium } from '../support/chromium.ts';
import { ROOT, runProgram } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { installSdk, run } from './packages.ts';
import type { Environment, Outcome } from './scenarios.ts';

/** The line with long-term support, which is a development dependency. */
const NODE_LTS = join(ROOT, 'node_modules/node/bin/node');

/** Removes what the SDK uses of the platform to keep integers exact, as in browsers before 2025. */
const WITHOUT_SOURCE_TEXT = `
delete JSON.rawJSON;
const { parse } = JSON;
JSON.parse = (text, reviver) => parse(text, reviver && function (key, value) { return reviver.call(this, key, value); });
`;

const runner = (preparation: string) => `${preparation}
const { runAllScenarios } = await import('./scenarios.js');
const outcomes = await runAllScenarios(await import('@animal-store/client'), JSON.parse(process.argv[2]));
console.log(JSON.stringify(outcomes));
`;

const PAGE = `<!doctype html><script type="importmap">{"imports":{"@animal-store/client":"/sdk.js"}}</script>`;

let folder: ReturnType<typeof temporaryFolder>;
let pages: ReturnType<typeof servePages>;
beforeAll(async () => {
  folder = temporaryFolder();
  const { installed } = await installSdk(folder.path);
  const scenarios = await Bun.build({
    entrypoints: [join(ROOT, 'test/sdk/all-scenarios.ts')],
    target: 'browser',
  });
  const [script] = scenarios.outputs;
  await Bun.write(folder.file('scenarios.js'), (await script?.text()) ?? '');
  await Bun.write(folder.file('run.js'), runner(''));
  await Bun.write(folder.file('run-without-source-text.js'), runner(WITHOUT_SOURCE_TEXT));
  pages = servePages({
    '/sdk.js': readFileSync(join(installed, 'dist/index.js'), 'utf8'),
    '/scenarios.js': readFileSync(folder.file('scenarios.js'), 'utf8'),
  });
});
afterAll(async () => {
  await pages.stop(true);
  folder.remove();
});

/** Serves the SDK to a browser, from another origin than the service. */
const servePages = (scripts: Readonly<Record<string, string>>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const script = scripts[new URL(request.url).pathname];
      const type = script === undefined ? 'text/html' : 'text/javascript';
      return new Response(script ?? PAGE, { headers: { 'Content-Type': type } });
    },
  });

/** Runs the scenarios against new services, and expects that all pass. */
async function expectAllPass(
  runOnPlatform: (environment: Environment) => Promise<Outcome[]>,
): Promise<void> {
  const corsOrigins = pages.url.origin;
  const service = await listen({ corsOrigins });
  const restricted = await listen({ corsOrigins, extensions: 'off' });
  const proxies = await Promise.all(
    [service, restricted].map(({ origin }) => startFaultyProxy(Number(new URL(origin).port))),
  );
  try {
    const outcomes = await runOnPlatform({
      origin: proxies[0]?.origin ?? '',
      originWithoutExtensions: proxies[1]?.origin ?? '',
      apiKey: service.key,
      apiKeyWithoutExtensions: restricted.key,
    });
    expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(30);
  } finally {
    await Promise.all([...proxies, service, restricted].map((it) => it.close()));
  }
}

/** The process must exit by itself: no timer or connection may be left. */
async function runProcess(
  program: string,
  script: string,
  environment: Environment,
): Promise<Outcome[]> {
  const command = [program, folder.file(script), JSON.stringify(environment)];
  return JSON.parse(await run(command, folder.path));
}

describe('the scenarios pass', () => {
  test.concurrent('on Bun', () =>
    expectAllPass((it) => runProcess(process.execPath, 'run.js', it)));

  test.concurrent('on the Node.js line with long-term support', () =>
    expectAllPass((it) => runProcess(NODE_LTS, 'run.js', it)));

  test.concurrent('on a platform that cannot show the source text of JSON', () =>
    expectAllPass((it) => runProcess(NODE_LTS, 'run-without-source-text.js', it)));

  const own = process.env['npm_node_execpath'];
  const isOther =
    own !== undefined && existsSync(own) && realpathSync(own) !== realpathSync(NODE_LTS);
  const testIfOther = isOther ? test.concurrent : test.skip;
  testIfOther('on the Node.js that runs npm', () =>
    expectAllPass((it) => runProcess(own ?? '', 'run.js', it)),
  );

  test.concurrent('on Chromium, on a page of another origin', () =>
    expectAllPass(async (environment) => {
      const page = await (await sharedChromium()).newPage();
      try {
        await page.goto(pages.url.href);
        return await page.evaluate(async (it) => {
          const [scenarios, sdk] = ['/scenarios.js', '@animal-store/client'];
          const { runAllScenarios } = await import(scenarios);
          return runAllScenarios(await import(sdk), it);
        }, environment);
      } finally {
        await page.close();
      }
    }));
});

test('the install script of the development dependency fetched its exact version', async () => {
  const { stdout } = await runProgram([NODE_LTS, '--version']);
  expect(stdout).toBe(`v${metadata.devDependencies.node}\n`);
});
