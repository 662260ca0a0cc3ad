/** The search by name: what is typed, what is requested, and what the address has. */
import { expect, test } from 'bun:test';
import type { Route } from 'playwright-core';
import { installClock, useConsole } from './console-page.ts';
import { button, dialog, expectFocus, rowsOf } from './places.ts';
import { box, expectShown, searched, signInWith } from './search-page.ts';

const current = useConsole();

/** Holds the responses to searches for a text. Returns how to let the first of them go on, once it was sent. */
async function hold(text: string): Promise<() => Promise<Route>> {
  const { promise, resolve } = Promise.withResolvers<Route>();
  await current.page.route(
    (url) => url.searchParams.get('name') === text,
    (route) => resolve(route),
  );
  return () => promise;
}

test('a search begins after a pause, with one request for all keys, and the address has it when an animal is opened or a filter is set at once', async () => {
  const { page } = await installClock(current);
  await signInWith(current, 'Rex', 'Mimi', 'Мурка');
  await page.clock.pauseAt(Date.now() + 60_000);
  await box(current).pressSequentially('mimi');
  await page.clock.runFor(199);
  expect(searched(current)).toEqual([]);
  await page.clock.runFor(1);
  await page.clock.resume();
  await expectShown(current, 'Mimi');
  expect(searched(current)).toEqual(['mimi']);
  await page.getByRole('status').getByText('Page 1: 1 entry').waitFor({ state: 'attached' });
  await box(current).fill('мурк');
  await expectShown(current, 'Мурка');
  await box(current).fill('  rex ');
  await expectShown(current, 'Rex');
  expect(await box(current).inputValue()).toBe('  rex ');
  expect(searched(current)).toEqual(['mimi', 'мурк', 'rex']);
  await box(current).fill('');
  await expectShown(current, 'Rex', 'Mimi', 'Мурка');
  await page.clock.pauseAt(Date.now() + 600_000);
  await box(current).fill('mi');
  await button(page, 'Open Mimi').click();
  await page.clock.runFor(1_000);
  await page.clock.resume();
  await dialog(current).getByRole('heading', { name: 'Mimi' }).waitFor();
  await page.goBack();
  await dialog(current).waitFor({ state: 'detached' });
  await expectShown(current, 'Mimi');
  await page.waitForURL(({ hash }) => hash === '#/animals?name=mi');
  await box(current).fill('mim');
  await page.getByRole('radio', { name: /^Sold/ }).check();
  await page.getByText('No animal').waitFor();
  await page.waitForURL(({ hash }) => hash === '#/animals?status=sold&name=mim');
});

test('a search shows nothing of an earlier text, cancels its request, and opens nothing once the user is elsewhere; the address carries it, for Back, reload and a bookmark; the keyboard begins and ends it', async () => {
  const { page, store } = current;
  await signInWith(current, 'Rex', 'Mimi', 'Milo');
  const [early, late] = [await hold('mi'), await hold('mil')];
  await box(current).pressSequentially('mi');
  const slow = await early();
  expect(await rowsOf(current)).toEqual([]);
  const cancelled = page.waitForEvent('requestfailed', (it) => it.url().includes('name=mi&'));
  await box(current).pressSequentially('l');
  const fast = await late();
  await cancelled;
  // The browser refuses a response to a request that was cancelled.
  await slow.fulfill({ json: [{ id: 9, name: 'Late', categoryId: 1 }] }).catch(() => {});
  expect(await rowsOf(current)).toEqual([]);
  await fast.continue();
  await expectShown(current, 'Milo');
  await box(current).fill('');
  await expectShown(current, 'Rex', 'Mimi', 'Milo');
  const found = await hold('rex');
  await box(current).fill('rex');
  await box(current).press('Enter');
  await current.openAndFill('Add an animal', { Name: 'Max' });
  await (await found()).continue();
  await page.getByRole('status').getByText('Page 1: 1 entry').waitFor({ state: 'attached' });
  expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Max');
  await page.keyboard.press('Escape');
  await current.leave('Discard');
  await page.goto('/#/animals');
  await expectShown(current, 'Rex', 'Mimi', 'Milo');
  await page.unrouteAll();
  await store.pets.create({ name: 'Mila', categoryId: 1, status: 'sold' });
  await box(current).pressSequentially('mi');
  await expectShown(current, 'Mimi', 'Milo', 'Mila');
  await box(current).pressSequentially('l');
  await expectShown(current, 'Milo', 'Mila');
  await page.waitForURL(({ hash }) => hash === '#/animals?name=mil');
  await page.getByRole('radio', { name: /^Sold/ }).check();
  await expectShown(current, 'Mila');
  await page.reload();
  await expectShown(current, 'Mila');
  expect(await box(current).inputValue()).toBe('mil');
  await page.goBack();
  await expectShown(current, 'Milo', 'Mila');
  // The pieces of the text were one step.
  await page.goBack();
  await expectShown(current, 'Rex', 'Mimi', 'Milo', 'Mila');
  expect(await box(current).inputValue()).toBe('');
  await page.goForward();
  await expectShown(current, 'Milo', 'Mila');
  expect(await box(current).inputValue()).toBe('mil');
  await page.goto('/#/animals?name=REX');
  await expectShown(current, 'Rex');
  expect(await box(current).inputValue()).toBe('REX');
  // The keyboard keeps the caret, and reaches the search with /, the first result with ↓, and the whole list with Escape.
  await store.pets.delete(4);
  await page.goto('/#/animals');
  await expectShown(current, 'Rex', 'Mimi', 'Milo');
  await box(current).pressSequentially('mii');
  await box(current).press('ArrowLeft');
  await box(current).press('m');
  await expectShown(current, 'Mimi');
  expect(searched(current).at(-1)).toBe('mimi');
  await box(current).press('x');
  expect(await box(current).inputValue()).toBe('mimxi');
  await box(current).press('Backspace');
  await box(current).press('End');
  await box(current).press('Space');
  await box(current).press('o');
  await page.getByText('No animal').waitFor();
  expect(await box(current).inputValue()).toBe('mimi o');
  await box(current).press('Escape');
  await expectShown(current, 'Rex', 'Mimi', 'Milo');
  await page.getByRole('radio', { name: 'All' }).focus();
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
  await expectShown(current, 'Mimi', 'Milo');
  await page.locator('[aria-label="Open Milo"]:focus').waitFor();
  for (const key of ['Control+m', 'Alt+m', 'Meta+m', 'Space']) await page.keyboard.press(key);
  await dialog(current).getByLabel('Name').waitFor();
  await dialog(current).getByRole('button', { name: 'Save' }).press('/');
  await dialog(current).getByLabel('Name').press('/');
  expect(await dialog(current).getByLabel('Name').inputValue()).toBe('/Milo');
  await page.keyboard.press('Escape');
  await current.leave('Discard');
  await expectFocus(current, 'Open Milo');
  await page.keyboard.type('/mim');
  // An input method uses the key.
  await box(current).dispatchEvent('keydown', { key: 'Escape', isComposing: true });
  await expectShown(current, 'Mimi');
  await page.keyboard.press('Escape');
  await expectShown(current, 'Rex', 'Mimi', 'Milo');
  expect(await box(current).inputValue()).toBe('');
  await page.goBack();
  await expectShown(current, 'Mimi');
  await page.goBack();
  await expectShown(current, 'Mimi', 'Milo');
});
