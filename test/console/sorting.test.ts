/** The headings of columns turn the order of a list. */
import { expect, test } from 'bun:test';
import { signIn, useConsole } from './console-page.ts';
import { button, expectRows, row } from './places.ts';

const current = useConsole();

/** Waits until the list has rows with these numbers. */
const expectNumbers = (...numbers: number[]) =>
  expectRows(
    current,
    numbers.map((number) => new RegExp(`(^|\\t)${number}(\\t|$)`)),
  );

const header = (name: string) => current.page.getByRole('columnheader', { name });

test('animals: those that wait longest first, from the first page, in an address that can be kept, also in a narrow window; orders and categories as well', async () => {
  const { page, store } = current;
  const pet = { categoryId: 1, status: 'available' } as const;
  const pets = Array.from({ length: 25 }, (_, index) => ({ name: `No ${index}`, ...pet }));
  await store.pets.createMany(pets);
  for (const id of [1, 2]) await store.categories.put(id, { name: `Kind ${id}` });
  await signIn(current);
  await row(current, 19).waitFor();
  expect(await header('Id').getAttribute('aria-sort')).toBe('descending');
  await button(page, 'Next page').click();
  await button(page, 'Open No 0').waitFor();
  await button(page, 'Id').click();
  await button(page, 'Open No 19').waitFor();
  expect(await header('Id').getAttribute('aria-sort')).toBe('ascending');
  await page.waitForURL(({ hash }) => hash === '#/animals?sort=id');
  await page.getByLabel('Search').fill('No 2');
  await expectNumbers(3, 21, 22, 23, 24, 25);
  await button(page, 'Id').click();
  await header('Id').and(page.locator('[aria-sort=descending]')).waitFor();
  await row(current, 0).getByText('No 24').waitFor();
  // A heading that the keyboard reaches is seen in a narrow window, too.
  await page.setViewportSize({ width: 800, height: 900 });
  await button(page, 'Id').focus();
  expect(await page.evaluate("getComputedStyle(document.querySelector('thead')).clipPath")).toBe(
    'none',
  );
  await page.keyboard.press('Enter');
  await header('Id').and(page.locator('[aria-sort=ascending]')).waitFor();
  // Orders: the oldest first, and of placed ones that whose hold ends next, but not those of a day.
  for (const petId of [1, 2, 3])
    await store.orders.place({ petId, ...(petId === 2 && { status: 'approved' }) });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/#/orders');
  await expectNumbers(3, 2, 1);
  await button(page, 'Order').click();
  await expectNumbers(1, 2, 3);
  await page.goto('/#/orders?status=placed');
  await expectNumbers(3, 1);
  await button(page, 'Time left').click();
  await header('Time left').and(page.locator('[aria-sort=ascending]')).waitFor();
  await expectNumbers(1, 3);
  // The order of holds means nothing for other orders.
  await page.getByText('Approved').click();
  await expectNumbers(3, 2, 1);
  // The service refuses this order for those of a day.
  await page.goto('/#/orders?status=placed&sort=expiresAt');
  await expectNumbers(1, 3);
  await page.getByRole('radio', { name: 'Today' }).click();
  await button(page, 'Time left').waitFor({ state: 'detached' });
  await expectNumbers(3, 1);
  expect(await page.getByRole('alert').count()).toBe(0);
  // Categories: the largest number first.
  await page.goto('/#/categories');
  await row(current, 0).getByText('Kind 1').waitFor();
  await button(page, 'Id').click();
  await row(current, 0).getByText('Kind 2').waitFor();
});
