/** The search by name: what is typed, what is requested, and what is shown. */
import { describe, expect, test } from 'bun:test';
import type { Route } from 'playwright-core';
import { expectNoViolations } from '../support/axe.ts';
import {
  button,
  type Console,
  dialog,
  focused,
  row,
  rowsOf,
  signIn,
  useConsole,
} from './console-page.ts';

const current = useConsole();

const box = ({ page }: Pick<Console, 'page'>) => page.getByRole('searchbox', { name: 'Search' });

/** What the page has searched for. */
const searched = ({ requests }: Console): (string | null)[] =>
  requests
    .map((request) => new URL(request.url()).searchParams)
    .filter((query) => query.has('name'))
    .map((query) => query.get('name'));

async function signInWith(...names: string[]): Promise<void> {
  for (const name of names) await current.store.pets.create({ name, categoryId: 1 });
  await signIn(current);
  await row(current, names.length - 1).waitFor();
}

/** Waits until the list has these animals and no others. */
async function expectShown(...names: string[]): Promise<void> {
  await row(current, names.length).waitFor({ state: 'detached' });
  for (const name of names) await button(current.page, `Open ${name}`).waitFor();
}

/** Holds the responses to searches for a text. Returns how to let the first of them go on, once it was sent. */
async function hold(text: string): Promise<() => Promise<Route>> {
  const { promise, resolve } = Promise.withResolvers<Route>();
  await current.page.route(
    (url) => url.searchParams.get('name') === text,
    (route) => resolve(route),
  );
  return () => promise;
}

describe('a search', () => {
  test('begins after a pause, with one request for all keys', async () => {
    const { page } = current;
    await page.clock.install();
    await signInWith('Rex', 'Mimi', 'Мурка', 'Café');
    await page.clock.pauseAt(Date.now() + 60_000);
    await box(current).pressSequentially('mimi');
    await page.clock.runFor(199);
    expect(searched(current)).toEqual([]);
    await page.clock.runFor(1);
    await page.clock.resume();
    await expectShown('Mimi');
    expect(searched(current)).toEqual(['mimi']);
    expect(await page.getByRole('status').allInnerTexts()).toContain('Page 1: 1 entry');
    await box(current).fill('мурк');
    await expectShown('Мурка');
    await box(current).fill('CAFE');
    await expectShown('Café');
    await box(current).fill('  rex ');
    await expectShown('Rex');
    expect(await box(current).inputValue()).toBe('  rex ');
    expect(searched(current)).toEqual(['mimi', 'мурк', 'CAFE', 'rex']);
  });

  test('shows nothing of an earlier text, and cancels its request', async () => {
    const { page } = current;
    await signInWith('Rex', 'Mimi', 'Milo');
    const [early, late] = [await hold('mi'), await hold('mil')];
    await box(current).pressSequentially('mi');
    const slow = await early();
    expect(await rowsOf(current)).toEqual([]);
    const cancelled = page.waitForEvent('requestfailed');
    await box(current).pressSequentially('l');
    const fast = await late();
    expect((await cancelled).url()).toEndWith('name=mi');
    // The browser refuses a response to a request that was cancelled.
    await slow.fulfill({ json: [{ id: 9, name: 'Late', categoryId: 1 }] }).catch(() => {});
    expect(await rowsOf(current)).toEqual([]);
    await fast.continue();
    await expectShown('Milo');
    await box(current).press('Backspace');
    await box(current).press('Backspace');
    await box(current).press('Backspace');
    await expectShown('Rex', 'Mimi', 'Milo');
  });

  test('keeps the focus and the caret', async () => {
    await signInWith('Rex', 'Mimi and Milo');
    await box(current).pressSequentially('mimi mil');
    for (let steps = 0; steps < 3; steps += 1) await box(current).press('ArrowLeft');
    await box(current).pressSequentially('and ');
    await expectShown('Mimi and Milo');
    expect(searched(current).at(-1)).toBe('mimi and mil');
    await box(current).pressSequentially('x');
    expect(await box(current).inputValue()).toBe('mimi and xmil');
    await box(current).press('Backspace');
    await box(current).press('End');
    await box(current).press('Space');
    await box(current).pressSequentially('o');
    await current.page.getByText('No animal').waitFor();
    expect(await box(current).inputValue()).toBe('mimi and mil o');
  });
});

describe('the address', () => {
  test('carries a search, for Back, reload and a bookmark', async () => {
    const { page, store } = current;
    await signInWith('Rex', 'Mimi', 'Milo');
    await store.pets.create({ name: 'Mila', categoryId: 1, status: 'sold' });
    await box(current).pressSequentially('mi');
    await expectShown('Mimi', 'Milo', 'Mila');
    await box(current).pressSequentially('l');
    await expectShown('Milo', 'Mila');
    expect(new URL(page.url()).hash).toBe('#/animals?name=mil');
    await page.getByRole('radio', { name: /^Sold/ }).check();
    await expectShown('Mila');
    await page.reload();
    await expectShown('Mila');
    expect(await box(current).inputValue()).toBe('mil');
    await page.goBack();
    await expectShown('Milo', 'Mila');
    // The pieces of the text were one step.
    await page.goBack();
    await expectShown('Rex', 'Mimi', 'Milo', 'Mila');
    expect(await box(current).inputValue()).toBe('');
    await page.goForward();
    await expectShown('Milo', 'Mila');
    expect(await box(current).inputValue()).toBe('mil');
    await page.goto('/#/animals?name=REX');
    await expectShown('Rex');
    expect(await box(current).inputValue()).toBe('REX');
  });

  test('has what is typed when an animal is opened or a filter is set at once', async () => {
    const { page } = current;
    await page.clock.install();
    await signInWith('Rex', 'Mimi');
    await page.clock.pauseAt(Date.now() + 60_000);
    await box(current).fill('mi');
    await button(page, 'Open Mimi').click();
    await page.clock.runFor(1_000);
    await page.clock.resume();
    await dialog(current).getByRole('heading', { name: 'Mimi' }).waitFor();
    await page.goBack();
    await dialog(current).waitFor({ state: 'detached' });
    await expectShown('Mimi');
    expect(new URL(page.url()).hash).toBe('#/animals?name=mi');
    await box(current).fill('mim');
    await page.getByRole('radio', { name: /^Sold/ }).check();
    await page.getByText('No animal').waitFor();
    expect(new URL(page.url()).hash).toBe('#/animals?status=sold&name=mim');
  });
});

describe('the keyboard', () => {
  test('reaches the search with /, the first result with ↓, and the whole list with Escape', async () => {
    const { page } = current;
    await signInWith('Rex', 'Mimi', 'Milo');
    await page.keyboard.press('/');
    await page.keyboard.type('m/');
    expect(await box(current).inputValue()).toBe('m/');
    await page.getByLabel('Category').press('/');
    expect(await page.getByLabel('Category').inputValue()).toBe('/');
    await page.getByLabel('Category').fill('');
    await page.getByRole('radio', { name: 'All' }).press('/');
    // What was there is replaced.
    await page.keyboard.type('mi');
    await page.keyboard.press('ArrowDown');
    await expectShown('Mimi', 'Milo');
    await page.locator('[aria-label="Open Milo"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await dialog(current).getByLabel('Name').waitFor();
    await dialog(current).getByRole('button', { name: 'Save' }).press('/');
    await dialog(current).getByLabel('Name').press('/');
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('/Milo');
    await page.keyboard.press('Escape');
    await button(dialog(current), 'Discard').click();
    await dialog(current).waitFor({ state: 'detached' });
    expect(await focused(current)).toBe('Open Milo');
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await expectShown('Rex', 'Mimi', 'Milo');
    expect(await box(current).inputValue()).toBe('');
    await page.goBack();
    await expectShown('Mimi', 'Milo');
  });
});

describe('what cannot be found', () => {
  test('is said, with a way back', async () => {
    const { page } = current;
    await signInWith('Rex');
    await box(current).fill('mimi');
    await page.getByText("No animal's name contains “mimi”").waitFor();
    expect(await page.getByRole('status').allInnerTexts()).toContain('Page 1: 0 entries');
    await page.getByRole('link', { name: 'Clear the search' }).click();
    await expectShown('Rex');
    expect(await box(current).inputValue()).toBe('');
    await page.goto('/#/animals?status=sold&name=rex');
    await page.getByText('The other filters apply, too.').waitFor();
    await page.getByRole('link', { name: 'Clear the search' }).click();
    await page.getByText('No animal matches').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expectShown('Rex');
  });

  test('is not sent to the service if it would refuse it', async () => {
    const { page } = current;
    await signInWith('Rex');
    await box(current).fill('x'.repeat(150));
    expect(await box(current).inputValue()).toHaveLength(100);
    await page.getByText("No animal's name contains").waitFor();
    const sent = searched(current).length;
    await page.goto(`/#/animals?name=${'x'.repeat(101)}`);
    await page.getByText('Search for at most 100 characters.').waitFor();
    await box(current).fill('\u0301\u0308');
    await page.getByText('an accent alone finds nothing').waitFor();
    expect(await box(current).getAttribute('aria-invalid')).toBe('true');
    expect(searched(current)).toHaveLength(sent);
    await page.goto('/#/animals?name=%00re%00x');
    await expectShown('Rex');
    // Unicode characters, of two parts each in JavaScript, are counted as one, as by the service.
    await page.goto(`/#/animals?name=${encodeURIComponent('🐾'.repeat(100))}`);
    await page.getByText('🐾🐾').first().waitFor();
    await page.goto('/#/animals?name=%20');
    await expectShown('Rex');
  });
});

describe('at 200 % zoom', () => {
  const zoomed = useConsole({ context: { viewport: { width: 640, height: 400 } } });

  test('the search and its first result are seen, and axe finds nothing', async () => {
    const { page, store } = zoomed;
    await store.pets.create({ name: 'Mimi', categoryId: 1 });
    await signIn(zoomed);
    await row(zoomed, 0).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('mimi');
    await page.waitForURL(/name=mimi/);
    await row(zoomed, 0).waitFor();
    expect(await box(zoomed).isVisible()).toBe(true);
    await expectNoViolations(page, 'search at 200 %');
    await page.keyboard.press('ArrowDown');
    await page.locator('[aria-label="Open Mimi"]:focus').waitFor();
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(sideways)).toBe(0);
  });
});
