/**
 * The pages in a real browser, in each state. Every rule of axe runs in light on a wide screen; dark and narrow, only what depends on
 * the colours and the width. The drill runs every rule in each combination.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { AXE_LIMIT_MS, checkAllAppearances, expectNoSidewaysScroll } from '../support/axe.ts';
import { sharedChromium } from '../support/chromium.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { PAGES } from './reference-pages.ts';
import { openPage, SENT, useForms, visitPages } from './states.ts';

let browser: Browser;
let service: SocketService;
let page: Page;
beforeAll(async () => {
  browser = await sharedChromium();
  service = await listen();
});
afterAll(() => service.close());

beforeEach(async () => {
  page = await openPage(browser, service, { colorScheme: 'light', width: 1280 });
});
afterEach(() => page.context().close());

/**
 * Removes each operation, then each block of a guide, then each row, that consists of parts that an earlier one has, too: axe takes
 * seconds for all of them. Keeps these operations as they are.
 */
const leaveOutAlike = (page: Page, kept: readonly string[] = []) =>
  page.evaluate(`for (const selector of ['article[id]', '.guide > *', '.frame :is(tr, li, .fields > div)']) {
    const seen = new Set();
    for (const block of document.querySelectorAll(selector)) {
      const kinds = [block, ...block.querySelectorAll('*')].map(
        ({ tagName, className, parentElement }) => tagName + className + ' in ' + parentElement.className,
      );
      const isKept = ${JSON.stringify(kept)}.includes(block.closest('article')?.id);
      if (!isKept && kinds.every((kind) => seen.has(kind))) block.remove();
      for (const kind of kinds) seen.add(kind);
    }
  }`);

test(
  'axe finds nothing, nothing scrolls sideways, and nothing but the script is loaded',
  async () => {
    const messages: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('request', (request) => urls.push(new URL(request.url()).pathname));
    await visitPages(page, async (path) => {
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        await expectNoSidewaysScroll(page, `${path}, ${width} pixels wide`);
      }
      await leaveOutAlike(page);
      await checkAllAppearances(page, path);
    });
    expect(urls.filter((url) => !/^\/docs\/chunk-\w+\.js$/.test(url))).toEqual(PAGES);
    expect(messages).toEqual([]);
  },
  AXE_LIMIT_MS,
);

test(
  'axe finds nothing in a search, a request, a response, an error and a question',
  () =>
    useForms(page, service.key, async (state, part) => {
      await leaveOutAlike(page, SENT);
      await checkAllAppearances(page, state, part);
    }),
  AXE_LIMIT_MS,
);
