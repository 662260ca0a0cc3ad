/** The pages without scripts in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { expectNoViolations } from '../support/axe.ts';
import { sharedChromium } from '../support/chromium.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { PAGES } from './reference-pages.ts';

let browser: Browser;
let service: SocketService;
beforeAll(async () => {
  browser = await sharedChromium();
  service = await listen();
});
afterAll(async () => {
  await service.close();
});

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('in %s, %d pixels wide', (colorScheme, width) => {
  test('axe finds nothing, nothing scrolls sideways, and nothing else is loaded', async () => {
    const context = await browser.newContext({
      baseURL: service.origin,
      colorScheme,
      viewport: { width, height: 844 },
      // The test runs axe in the page. The policy of the page is checked without a browser.
      bypassCSP: true,
    });
    const page = await context.newPage();
    const messages: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('request', (request) => urls.push(request.url()));
    for (const path of PAGES) {
      await page.goto(path);
      await expectNoViolations(page, path);
      const hidden = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([path, hidden]).toEqual([path, 0]);
    }
    expect(urls).toEqual(PAGES.map((path) => service.origin + path));
    expect(messages).toEqual([]);
    await context.close();
  });
});
