/** How staff find an animal: by its id, by the message about a new one, and by the counts. */
import { expect, test } from 'bun:test';
import { type Console, signIn, useConsole } from './console-page.ts';
import { button, dialog, eventually, expectFocus, expectRows, expectTexts, row } from './places.ts';
import { box, expectShown } from './search-page.ts';

const current = useConsole();

const choices = ({ page }: Console) => page.getByRole('group', { name: 'Status' }).locator('label');

test('an animal is found by its id in the search box, by a click anywhere in its row, and by the message that it was added, beside counts of what the list shows', async () => {
  const { page, store, requests } = current;
  await store.categories.put(1, { name: 'Dogs' });
  await store.pets.createMany([
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Mimi', categoryId: 1 },
    { name: 'Room 2', categoryId: 2, status: 'available' },
    { name: 'Gate 2', categoryId: 2, status: 'sold' },
  ]);
  await signIn(current);
  await page.getByText('4 in the catalogue').waitFor();
  const counts = ['All', 'Available\n2', 'Pending\n0', 'Sold\n1', 'No status\n1'];
  await expectTexts(choices(current), counts);
  await row(current, 3).waitFor();
  await box(current).fill('2');
  await expectRows(current, ['Mimi', 'Gate 2', 'Room 2']);
  // The counts would be those of the names alone.
  expect(requests.filter((request) => request.url().endsWith('?name=2'))).toHaveLength(0);
  await page.getByRole('radio', { name: /^Sold/ }).check();
  await expectShown(current, 'Gate 2');
  await page.getByRole('radio', { name: 'All' }).check();
  await box(current).fill('1');
  await expectShown(current, 'Rex');
  await box(current).fill('4711');
  await page.getByText("No animal's name contains “4711”").waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.goto('/#/animals?category=1&status=available');
  await page.getByText('1 match').waitFor();
  await expectTexts(choices(current), expect.arrayContaining(['Available\n1']));
  await eventually(async () => expect(await page.getByLabel('Category').inputValue()).toBe('Dogs'));
  await page.getByRole('radio', { name: /^No status/ }).check();
  await expectShown(current, 'Mimi');
  await page.goto('/#/animals?name=rex');
  await expectShown(current, 'Rex');
  await page.getByText('1 match').waitFor();
  const found = ['Available\n1', 'Sold\n0', 'No status\n0'];
  await expectTexts(choices(current), expect.arrayContaining(found));
  await page.getByRole('cell', { name: 'Available' }).click();
  await dialog(current).getByRole('heading', { name: 'Rex' }).waitFor();
  await current.leave();
  await expectFocus(current, 'Open Rex');
  await page.evaluate('getSelection().selectAllChildren(document.querySelector("td.end"))');
  await row(current, 0).locator('td').last().dispatchEvent('click');
  expect(await dialog(current).count()).toBe(0);
  await current.openAndFill('Add an animal', { Name: 'Zoe', Category: '1' });
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Show it' }).click();
  await expectShown(current, 'Zoe');
});

test('the counts of animals without a status lead to them, in pages of a part of the catalogue', async () => {
  const { page, store } = current;
  const pets = Array.from({ length: 1001 }, (_, index) => ({
    name: `Animal ${index + 1}`,
    categoryId: 1,
    ...(index > 0 && { status: 'available' as const }),
  }));
  await store.pets.createMany(pets.slice(0, 1000));
  await store.pets.createMany(pets.slice(1000));
  await signIn(current);
  await page.getByRole('radio', { name: /^No status/ }).check();
  await page.getByText('None of the next 1,000 animals is without a status.').waitFor();
  await button(page, 'Next page').click();
  await expectShown(current, 'Animal 1');
  // An animal with the number that is searched for is on the first page only.
  await page.goto('/#/animals?name=1');
  await button(page, 'Open Animal 1').waitFor();
  await button(page, 'Next page').click();
  await button(page, 'Open Animal 1').waitFor({ state: 'detached' });
});
