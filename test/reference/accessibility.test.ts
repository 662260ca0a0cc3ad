/**
 * The pages in a real browser, in each state. Every rule of axe runs in light on a wide screen; dark and narrow, only what depends on
 * the colours and the width. The drill runs every rule in each combination, on whole pages.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { AXE_LIMIT_MS, checkAllAppearances, expectNoSidewaysScroll } from '../support/axe.ts';
import { sharedChromium } from '../support/chromium.ts';
import { listen } from '../support/socket.ts';
import { useShared } from '../support/use-each.ts';
import { PAGES } from './reference-pages.ts';
import { openPage, SENT, searchFor, useForms } from './states.ts';

const [OPERATIONS = '', ...GUIDES] = PAGES;

const service = useShared(() => listen());
let page: Page;
/** The paths that the page loads, and its messages. */
let loaded: string[];
beforeEach(async () => {
  loaded = [];
  page = await openPage(await sharedChromium(), service, { colorScheme: 'light', width: 390 });
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  page.on('console', (message) => loaded.push(message.text()));
});
afterEach(() => page.context().close());

/** Goes to a page. It loads nothing but its script, and does not scroll sideways. */
async function visit(path: string): Promise<void> {
  await page.goto(path);
  await expectNoSidewaysScroll(page, `${path}, narrow`);
  expect(loaded.filter((each) => !/^\/docs\/chunk-\w+\.js$/.test(each))).toEqual([path]);
}

/** Checks a wide page without the blocks that have no kind of part of their own: axe takes seconds for them. The forms that are sent stay. */
async function checkKinds(name: string): Promise<void> {
  await page.evaluate(`{
    const blocks = 'article[id], .guide > *, .frame :is(.said > *, .fields > div, figure, label, li, tr)';
    const seen = new Set();
    const kindOf = (part) => [part, part.parentElement].map(({ tagName, className }) => tagName + className).join();
    const isSent = (part) => part.closest('form') && ${JSON.stringify(SENT)}.includes(part.closest('article')?.id);
    for (const block of document.querySelectorAll(blocks)) {
      const parts = [block, ...block.querySelectorAll('*')];
      if (parts.every((part) => seen.has(kindOf(part)) && !isSent(part))) block.remove();
      else for (const part of parts) if (part.closest(blocks) === block) seen.add(kindOf(part));
    }
  }`);
  await page.setViewportSize({ width: 1280, height: 844 });
  await checkAllAppearances(page, name);
}

test(
  'axe finds nothing in the operations, a request, a response, an error and a question',
  async () => {
    await visit(OPERATIONS);
    await checkKinds(OPERATIONS);
    await useForms(page, service.key, (state, part) => checkAllAppearances(page, state, part));
  },
  AXE_LIMIT_MS,
);

test(
  'axe finds nothing in what the guides consist of, and in a search',
  async () => {
    const [first = '', ...others] = GUIDES;
    await visit(first);
    // The others have the same style and script, and become a part of the first one: each page takes long.
    await page.evaluate(`(async () => {
      for (const path of ${JSON.stringify(others)}) {
        const text = await (await fetch(path)).text();
        const guide = new DOMParser().parseFromString(text, 'text/html').querySelector('.guide');
        document.querySelector('.guide').append(...guide.childNodes);
      }
    })()`);
    await expectNoSidewaysScroll(page, 'guides, narrow');
    await checkKinds('guides');
    await searchFor(page, 'category', (state, part) => checkAllAppearances(page, state, part));
  },
  AXE_LIMIT_MS,
);
