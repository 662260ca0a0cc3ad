import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { installSdk, run } from './packages.ts';
import type { Environment, Outcome } from './scenarios.ts';

/** Removes what the SDK uses of the platform to keep integers exact, as in browsers before 2025. */
export const WITHOUT_SOURCE_TEXT = `
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

export type Platforms = Awaited<ReturnType<typeof openPlatforms>>;

/** The built SDK with its scenarios, ready to run on any platform. */
export async function openPlatforms() {
  const folder = temporaryFolder();
  const { installed } = await installSdk(folder.path);
  const scenarios = await Bun.build({
    entrypoints: [join(ROOT, 'test/sdk/all-scenarios.ts')],
    target: 'browser',
  });
  const [script] = scenarios.outputs;
  await Bun.write(folder.file('scenarios.js'), (await script?.text()) ?? '');
  await Bun.write(folder.file('run.js'), runner(''));
  await Bun.write(folder.file('run-without-source-text.js'), runner(WITHOUT_SOURCE_TEXT));
  const pages = servePages({
    '/sdk.js': readFileSync(join(installed, 'dist/index.js'), 'utf8'),
    '/scenarios.js': readFileSync(folder.file('scenarios.js'), 'utf8'),
  });
  return {
    /** The URL of a page that can load both, of another origin than the services. */
    page: pages.url.href,
    /** Runs the scenarios against new services behind a proxy with faults, and expects that all pass. */
    expectAllPass: (runOnPlatform: (environment: Environment) => Promise<Outcome[]>) =>
      expectAllPass(pages.url.origin, runOnPlatform),
    /** Runs a program with one of the scripts. The process must exit by itself: no timer or connection may be left. */
    async runProcess(
      program: string,
      script: 'run.js' | 'run-without-source-text.js',
      environment: Environment,
    ): Promise<Outcome[]> {
      const command = [program, folder.file(script), JSON.stringify(environment)];
      return JSON.parse(await run(command, folder.path));
    },
    async close() {
      await pages.stop(true);
      folder.remove();
    },
  };
}

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

async function expectAllPass(
  corsOrigins: string,
  runOnPlatform: (environment: Environment) => Promise<Outcome[]>,
): Promise<void> {
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
