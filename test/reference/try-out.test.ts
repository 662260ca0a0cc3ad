/** The reference with a try-out: Scalar, in a real browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { sharedChromium } from '../support/chromium.ts';
import { DOCUMENT, operationsIn } from '../support/openapi-document.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { startWith } from './reference-pages.ts';

const MAX = '9223372036854775807';

let browser: Browser;
let service: SocketService;
beforeAll(async () => {
  browser = await sharedChromium();
  service = await listen();
});
afterAll(async () => {
  await service.close();
});

/** Opens the page, does something, and checks that it did nothing that it must not do. */
async function onPage(path: string, act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    baseURL: service.origin,
    viewport: { width: 1280, height: 900 },
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const urls: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  // Breaches of the policy are errors, too.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(path);
  await act(page);
  await context.close();
  expect(errors).toEqual([]);
  expect(
    urls.filter((url) => !/^(?:data|blob):/.test(url) && !url.startsWith(`${service.origin}/`)),
  ).toEqual([]);
}

test('shows all operations, and loads nothing from another origin', async () => {
  await onPage('/docs', async (page) => {
    await page.getByRole('heading', { name: 'Animal Store Service' }).waitFor();
    for (const { tags, summary } of operationsIn(DOCUMENT)) {
      const sidebar = page.getByRole('navigation').or(page.getByRole('complementary'));
      const link = sidebar.getByText(summary, { exact: true }).first();
      if ((await link.count()) === 0)
        await sidebar
          .getByText(tags[0] ?? '', { exact: true })
          .first()
          .click();
      await link.waitFor();
    }
  });
});

test('shows what is beta', async () => {
  await onPage('/docs#tag/pets/PATCH/pets/{petId}', async (page) => {
    await page.getByText('beta', { exact: true }).first().waitFor();
  });
});

test('a page without its script leads to the reference without scripts', async () => {
  const page = await browser.newPage({ baseURL: service.origin });
  await page.route('**/docs/scalar.js', (route) => route.abort());
  await page.goto('/docs');
  await page.getByRole('link', { name: 'the reference without scripts' }).click();
  await page.getByRole('heading', { name: 'API reference' }).waitFor();
  await page.close();
});

test('the try-out sends and shows the largest int64 exactly', async () => {
  await onPage('/docs#tag/pets/POST/pets', async (page) => {
    await page.getByRole('button', { name: 'Test Request (post /pets)' }).click();
    await page.getByPlaceholder('Token').last().fill(service.key);
    const editor = page.locator('.cm-content[data-language=json]').first();
    await editor.fill(`{"name":"Rex","categoryId":${MAX}}`);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.locator('[data-addressbar-action=send]').first().click();
    const names = Object.keys((await sent).headers());
    expect(names).toContain('authorization');
    // Optional parameters are sent only if the user ticks them.
    expect(names.filter((name) => ['idempotency-key', 'prefer'].includes(name))).toEqual([]);
    await page.locator('.cm-line', { hasText: `"categoryId": ${MAX}` }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('9223372036854776');
  });
  const headers = { Authorization: `Bearer ${service.key}` };
  const stored = await (await fetch(`${service.origin}/v1/pets`, { headers })).text();
  expect(stored).toBe(`[{"id":1,"name":"Rex","categoryId":${MAX}}]`);
});

test('only its page allows inline styles, and no page allows other origins', async () => {
  const { service: store, get } = await startWith();
  const policy = async (path: string) => (await get(path)).headers.get('content-security-policy');
  expect(await policy('/docs')).toContain("style-src 'unsafe-inline'");
  expect(await policy('/docs/plain')).not.toContain('unsafe');
  expect(await policy('/docs')).not.toMatch(/unsafe-eval|https?:|\*/);
  expect(await policy('/docs')).toContain("connect-src 'self'");
  await store.close();
});

test('with DOCS=off only the reference without scripts is there, and does not link to the other', async () => {
  const { service: store, get } = await startWith({ docs: false });
  for (const path of ['/docs', '/docs/scalar.js', '/docs/openapi.json']) {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'route_not_found' });
  }
  const plain = await get('/docs/plain');
  expect(plain.status).toBe(200);
  expect(await plain.text()).not.toContain('Try it');
  await store.close();
});
