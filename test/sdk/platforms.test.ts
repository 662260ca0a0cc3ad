/** The built SDK on each platform, against real services behind a proxy with faults. A drill adds each line of Node.js. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import { sharedChromium } from '../support/chromium.ts';
import { openPlatforms, type Platforms } from './platforms.ts';

/** The Node.js that runs npm. Node.js 20 cannot show the source text of JSON itself; Bun and Chromium can. */
const NODE = process.env['npm_node_execpath'] ?? 'node';

let platforms: Platforms;
beforeAll(async () => {
  platforms = await openPlatforms();
});
afterAll(() => platforms?.close());

describe('the scenarios pass', () => {
  test.concurrent('on Bun', () =>
    platforms.expectAllPass((it) => platforms.runProcess(process.execPath, 'run.js', it)));

  test.concurrent('on Node.js', () =>
    platforms.expectAllPass((it) => platforms.runProcess(NODE, 'run.js', it)));

  test.concurrent('on a platform that cannot show the source text of JSON', () =>
    platforms.expectAllPass((it) => platforms.runProcess(NODE, 'run-without-source-text.js', it)));

  test.concurrent('on Chromium, on a page of another origin', () =>
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
});
