/** The pages in a real browser, in each state. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
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

async function check(page: Page, state: string): Promise<void> {
  await expectNoViolations(page, state);
  const hidden = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect([state, hidden]).toEqual([state, 0]);
}

describe.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('in %s, %d pixels wide', (colorScheme, width) => {
  const open = async () => {
    const context = await browser.newContext({
      baseURL: service.origin,
      colorScheme,
      viewport: { width, height: 844 },
      reducedMotion: 'reduce',
      // The test runs axe in the page. Other tests run the page with its policy.
      bypassCSP: true,
    });
    return context.newPage();
  };

  test('axe finds nothing, nothing scrolls sideways, and nothing but the script is loaded', async () => {
    const page = await open();
    const messages: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('request', (request) => urls.push(new URL(request.url()).pathname));
    for (const path of PAGES) {
      await page.goto(path);
      await check(page, path);
    }
    expect(urls.filter((url) => !/^\/docs\/chunk-\w+\.js$/.test(url))).toEqual(PAGES);
    expect(messages).toEqual([]);
    await page.context().close();
  });

  test('axe finds nothing in a search, a request, a response, an error and a question', async () => {
    const page = await open();
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('category');
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor();
    await check(page, 'search');
    await page.keyboard.press('Escape');
    await page.getByLabel('API key', { exact: true }).fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Forget the key' }).waitFor();
    const form = (id: string) => page.locator(`#${id} form.send`);
    await form('createPet').getByText('Headers', { exact: true }).click();
    await form('createPet').getByRole('button', { name: 'Send' }).click();
    await form('createPet').locator('.outcome', { hasText: '201' }).waitFor();
    await form('putCategory').getByLabel('categoryId').fill('x');
    await form('putCategory').getByRole('button', { name: 'Send' }).click();
    await form('putCategory').locator('.outcome.bad').waitFor();
    await check(page, 'responses');
    await form('deletePet').getByLabel('petId').fill('1');
    await form('deletePet').getByRole('button', { name: 'Send' }).click();
    await page.getByRole('dialog', { name: 'Send this request?' }).waitFor();
    await check(page, 'question');
    await page.context().close();
  });
});
