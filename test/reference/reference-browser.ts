import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { AnimalStore } from '../../sdk/src/index.ts';
import { sharedChromium } from '../support/chromium.ts';
import { listen, type SocketService } from '../support/socket.ts';
import { standIn } from '../support/use-each.ts';

/** A service with its reference open in a real browser. */
export interface Reference {
  readonly service: SocketService;
  readonly store: AnimalStore;
  readonly page: Page;
  /** The requests of the page. */
  readonly requests: Request[];
  /** Messages of the browser that this test provokes. */
  readonly expected: RegExp[];
}

/** A failing step is reported after so long. */
const TIMEOUT_MS = 20_000;

/** That of the browser. */
const VIEWPORT = { width: 1280, height: 720 };

interface Options {
  readonly flags?: Record<string, string>;
  readonly context?: Parameters<Browser['newContext']>[0];
  /** The address that is opened: by default the operations. */
  readonly start?: string;
  /** Opens one page for all tests of a group. They find its forms as new, and what others have stored. */
  readonly isShared?: boolean;
  /** Leaves only these operations on the page, each time it is loaded: each step takes long on the whole one. */
  readonly operations?: string;
}

/** Opens the reference before each test, and checks after each that it did nothing that it must not do. */
export function useReference({
  flags,
  context: options,
  start = '/docs',
  isShared,
  operations,
}: Options = {}): Reference {
  let current: Reference;
  let errors: string[];
  const open = async () => {
    errors = [];
    const browser = await sharedChromium();
    const service = await listen(flags);
    const store = new AnimalStore({ apiKey: service.key, baseUrl: `${service.origin}/v1` });
    const context = await browser.newContext({ baseURL: service.origin, ...options });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    // The script of the page has run by then, on the whole page.
    const others = `document.querySelectorAll('article[id]:not(${operations})')`;
    const leaveOut = `addEventListener('DOMContentLoaded', () => ${others}.forEach((one) => one.remove()))`;
    if (operations !== undefined) await page.addInitScript(leaveOut);
    current = { service, store, page, requests: [], expected: [] };
    page.on('request', (request) => current.requests.push(request));
    page.on('pageerror', (error) => errors.push(String(error)));
    // Breaches of the policy are errors, too.
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    await page.goto(start);
  };
  const close = async () => {
    // A route that is still at work must not fail during the next test.
    await current.page.unrouteAll({ behavior: 'ignoreErrors' });
    await current.page.context().close();
    await current.service.close();
  };
  if (isShared) {
    beforeAll(open);
    afterAll(close);
    beforeEach(async () => {
      await renew(current.page);
      for (const list of [errors, current.requests, current.expected]) list.length = 0;
    });
  } else beforeEach(open);
  afterEach(async () => {
    const { service, requests, expected } = current;
    if (!isShared) await close();
    expect(errors.filter((error) => !expected.some((each) => each.test(error)))).toEqual([]);
    const urls = requests.map((request) => request.url());
    expect(urls.filter((url) => !url.startsWith(`${service.origin}/`))).toEqual([]);
    expect(urls.filter((url) => url.includes('ask_'))).toEqual([]);
  });
  return standIn(() => current);
}

/** Makes the forms of a page new, but for the key of the next creation. */
async function renew(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.setViewportSize(VIEWPORT);
  await page.evaluate(`{
    for (const form of document.forms) {
      const key = form.elements['header.Idempotency-Key'];
      const next = key?.value;
      form.reset();
      if (key) key.value = next;
    }
    for (const details of document.querySelectorAll('form details')) details.open = false;
    for (const outcome of document.querySelectorAll('form .outcome')) outcome.textContent = '';
    scrollTo(0, 0);
  }`);
}

/** The form for the API key. The page is large: a search in all of it takes long. */
export const keyForm = ({ page }: Reference): Locator => page.locator('#key');

/** Types an API key, and sends the form. */
export async function offerKey(reference: Reference, key: string): Promise<void> {
  await keyForm(reference).getByLabel('API key').fill(key);
  await keyForm(reference).getByRole('button', { name: 'Use this key' }).click();
}

/** Gives the page an API key, by default one with all scopes, unless it uses this one. */
export async function giveKey(reference: Reference, key = reference.service.key): Promise<void> {
  const { page } = reference;
  if ((await page.evaluate("sessionStorage.getItem('animal-store-key')")) !== key) {
    await offerKey(reference, key);
    await keyForm(reference).getByText('Asking the service…').waitFor({ state: 'hidden' });
  }
  await keyForm(reference).getByRole('button', { name: 'Forget the key' }).waitFor();
}

/** The form that sends an operation. */
export const formOf = ({ page }: Reference, id: string): Locator =>
  page.locator(`#${id} form.send`);

/** Clicks Send, and waits for the outcome. */
export async function send(form: Locator, outcome: string | RegExp): Promise<void> {
  await form.getByRole('button', { name: 'Send' }).click();
  await form.locator('.outcome', { hasText: outcome }).waitFor();
}

/** How often the page requested a path. */
export const countOf = ({ requests }: Reference, path: string): number =>
  requests.filter((request) => new URL(request.url()).pathname === path).length;

/** What the page shows under a title, such as `Response body`. */
export const shown = async (form: Locator, title: string): Promise<string> =>
  (await form
    .locator('figure', { has: form.page().locator(`figcaption:text-is("${title}")`) })
    .locator('code')
    .textContent()) ?? '';
