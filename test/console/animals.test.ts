import { expect, test } from 'bun:test';
import { signIn, useConsole } from './console-page.ts';
import { button, dialog, expectRows, row } from './places.ts';

const current = useConsole();

const LARGEST = 9223372036854775807n;

test('animals are added and corrected, keep the largest and smallest integers and HTML in a name exactly, are listed newest first, are filtered, and their pages follow the links of the service', async () => {
  const { page, store } = current;
  await signIn(current);
  await page.getByText('No animals yet').waitFor();
  await button(page, 'Add an animal').click();
  const add = dialog(current);
  await add.getByLabel('Category').fill('abc');
  await button(add, 'Add an animal').click();
  await add.getByText('Enter a name.').waitFor();
  await add.getByText('Open the list to create it.').waitFor();
  await add.getByLabel('Category').fill('2');
  await button(add, 'Add an animal').click();
  await add.getByLabel('Name').fill('Rexx');
  await button(add, 'Add an animal').click();
  await page.getByText('Rexx was added.').waitFor();
  await page.getByText('1 in the catalogue').waitFor();
  await current.openAndFill('Open Rexx', { Name: 'Rex' });
  await dialog(current).getByRole('radio', { name: 'No status' }).check();
  await current.pressUntil('Save', 'Rex was saved.');
  expect(await store.pets.get(1)).toEqual({ id: 1, name: 'Rex', categoryId: 2 });
  await store.pets.delete(1);
  const name = '<img src=x onerror="document.title = 1">';
  await store.pets.create({ name, categoryId: LARGEST });
  await store.pets.create({ name: 'W'.repeat(120), categoryId: -LARGEST - 1n });
  await expectRows(current, ['-9223372036854775808', '9223372036854775807']);
  const lines = await page.evaluate(
    "[...document.querySelectorAll('td.number')].map((cell) => { const range = new Range(); range.selectNodeContents(cell); return new Set([...range.getClientRects()].map(({ top }) => top)).size; })",
  );
  expect(lines).toEqual([1, 1, 1, 1]);
  await page.getByText(name).first().click();
  await dialog(current).getByRole('heading', { name }).waitFor();
  expect(await page.title()).toBe('Animals · Animal Store');
  expect(await dialog(current).getByLabel('Category').inputValue()).toBe(String(LARGEST));
  await dialog(current).getByLabel('Name').fill('Maximilian');
  await current.pressUntil('Save', 'Maximilian was saved.');
  expect(await store.pets.get(2)).toEqual({ id: 2, name: 'Maximilian', categoryId: LARGEST });
  await page.getByLabel('Category').fill('-9223372036854775808');
  await page.keyboard.press('Enter');
  await expectRows(current, 1);
  const pets = Array.from({ length: 45 }, (_, index) => ({
    name: `Animal ${index + 1}`,
    categoryId: (index + 1) % 2,
    status: index % 15 === 14 ? ('sold' as const) : ('available' as const),
  }));
  await store.pets.createMany(pets);
  await page.goto('/#/animals');
  await button(page, 'Open Animal 26').waitFor();
  await row(current, 0).getByText('Animal 45').waitFor();
  await button(page, 'Next page').click();
  await button(page, 'Open Animal 25').waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  await page.reload();
  await button(page, 'Open Animal 25').waitFor();
  await button(page, 'Next page').click();
  await button(page, 'Open Animal 1').waitFor();
  expect(await button(page, 'Next page').isDisabled()).toBe(true);
  await button(page, 'Previous page').click();
  await button(page, 'Previous page').click();
  await button(page, 'Open Animal 44').waitFor();
  await page.getByRole('radio', { name: /^Sold/ }).check();
  await expectRows(current, 3);
  await page.getByText('3 match').waitFor();
  await page.getByLabel('Category').fill('0');
  // The second key is no step of the history.
  for (const _ of [1, 2]) await page.keyboard.press('Enter');
  await expectRows(current, ['Animal 30']);
  await page.goBack();
  await button(page, 'Open Animal 15').waitFor();
  await page.goto('/#/animals?category=999');
  await page.getByText('No animal matches').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await button(page, 'Open Animal 44').waitFor();
});
