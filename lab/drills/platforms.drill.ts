/** The built SDK on Node.js and in a browser, against real services behind a proxy with faults. `node-lines` adds each line of Node.js. */
import { afterAll, beforeAll, test } from 'bun:test';
import { openPlatforms, type Platforms } from '../../test/sdk/platforms.ts';
import { sharedChromium } from '../../test/support/chromium.ts';

/** The Node.js that runs npm. Node.js 20 cannot show the source text of JSON itself; Bun and Chromium can. */
const NODE = process.env['npm_node_execpath'] ?? 'node';

let platforms: Platforms;
beforeAll(async () => {
  platforms = await openPlatforms();
});
afterAll(() => platforms?.close());

test.each(['run.js', 'run-without-source-text.js'] as const)(
  'the scenarios pass on Node.js (%s)',
  (script) => platforms.expectAllPass((it) => platforms.runProcess(NODE, script, it)),
);

test('the scenarios pass on Chromium, on a page of another origin', () =>
  platforms.expectAllPass(async (environment) => {
    const page = await (await sharedChromium()).newPage();
    try {
      await page.goto(platforms.page);
      return await page.evaluate(async (it) => {
        const [scenarios, sdk] = ['/scenarios.js', '@animal-store/client'];
        const { runAllScenarios } = await import(scenarios);
        return runAllScenarios(await import(sdk), it);
      }, environment);
    } finally {
      await page.close();
    }
  }));
