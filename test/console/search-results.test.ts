/** What a search shows: nothing, a fault, or results on a small screen. */
import { expect, test } from 'bun:test';
import { expectNoSidewaysScroll, expectNoViolations } from '../support/axe.ts';
import { open, useConsole } from './console-page.ts';
import { row } from './places.ts';
import { box, expectShown, searched, signInWith } from './search-page.ts';

const current = useConsole();

test('what cannot be found is said, with a way back, and is not sent to the service if it would refuse it; at 200 % zoom the search and its first result are seen; categories are searched as animals are', async () => {
  const { page, store } = current;
  await signInWith(current, 'Rex');
  await box(current).fill('mimi');
  await page.getByText("No animal's name contains “mimi”").waitFor();
  await page.getByRole('status').getByText('Page 1: 0 entries').waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Clear the search' }).click();
  await expectShown(current, 'Rex');
  expect(await box(current).inputValue()).toBe('');
  await page.goto('/#/animals?status=sold&name=rex');
  await page.getByText('The other filters apply, too.').waitFor();
  await page.getByRole('link', { name: 'Clear the search' }).click();
  await page.getByText('No animal matches').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expectShown(current, 'Rex');
  await box(current).fill('x'.repeat(150));
  expect(await box(current).inputValue()).toHaveLength(100);
  await page.getByText("No animal's name contains").waitFor();
  const sent = searched(current).length;
  await page.goto(`/#/animals?name=${'x'.repeat(101)}`);
  await page.getByText('Search for at most 100 characters.').waitFor();
  await box(current).fill('\u0301\u0308');
  await page.getByText('accents and invisible characters alone find nothing').waitFor();
  expect(await box(current).getAttribute('aria-invalid')).toBe('true');
  expect(searched(current)).toHaveLength(sent);
  await page.goto('/#/animals?name=%00re%00x');
  await expectShown(current, 'Rex');
  // Unicode characters, of two parts each in JavaScript, are counted as one, as by the service.
  await page.goto(`/#/animals?name=${encodeURIComponent('🐾'.repeat(100))}`);
  await page.getByText('🐾🐾').first().waitFor();
  await page.goto('/#/animals?name=%20');
  await expectShown(current, 'Rex');
  await page.setViewportSize({ width: 640, height: 400 });
  await box(current).fill('rex');
  await page.waitForURL(/name=rex/);
  await row(current, 0).waitFor();
  expect(await box(current).isVisible()).toBe(true);
  // The other rules do not depend on the size.
  const rules = ['color-contrast', 'scrollable-region-focusable'];
  await expectNoViolations(page, 'search at 200 %', { rules });
  await page.keyboard.press('ArrowDown');
  await page.locator('[aria-label="Open Rex"]:focus').waitFor();
  await expectNoSidewaysScroll(page, 'search at 200 %');
  // Categories are searched as animals are.
  for (const [id, name] of ['Dogs', 'Cats', 'Ćats and dogs'].entries())
    await store.categories.put(id, { name });
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(current, 'Categories');
  await row(current, 2).waitFor();
  // The list of animals may have been searched again because of the new categories.
  const before = searched(current).length;
  await page.keyboard.press('/');
  // At once: a pause between the letters would begin a search.
  await page.keyboard.insertText('cat');
  await row(current, 2).waitFor({ state: 'detached' });
  await row(current, 1).waitFor();
  await box(current).press('ArrowDown');
  await page.locator('a:focus', { hasText: 'Cats' }).waitFor();
  // The page repeats the search when it hears of the categories above.
  expect(new Set(searched(current).slice(before))).toEqual(new Set(['cat']));
  await page.waitForURL(({ hash }) => hash === '#/categories?name=cat');
  await box(current).fill('\u0301');
  await page.getByText('A filter is not valid').waitFor();
  await box(current).fill('birds');
  await page.getByText("No category's name contains “birds”").waitFor();
  await page.getByRole('link', { name: 'Clear the search' }).click();
  await row(current, 2).waitFor();
  await store.pets.create({ name: 'Max', categoryId: 3 });
  for (const id of [3, 4]) await store.categories.put(id, { name: `${id}, 1 of 2` });
  await page.getByRole('row', { name: '3, 1 of 2 3 1' }).waitFor();
  // The number of animals is not the number of a category.
  await box(current).fill('1');
  await box(current).press('Enter');
  await page.locator('a:focus', { hasText: '3, 1 of 2' }).waitFor();
  await page.waitForURL(({ hash }) => hash === '#/categories?name=1');
});
