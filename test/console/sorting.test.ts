/** The headings of columns turn the order of a list. */
import { expect, test } from 'bun:test';
import { signIn, useConsole } from './console-page.ts';
import { button, row, rowsOf } from './places.ts';

const current = useConsole();

/** The numbers of the rows. */
const numbers = async (column: number): Promise<number[]> =>
  (await rowsOf(current)).map((text) => Number(text.split('\t')[column]));

const header = (name: string) => current.page.getByRole('columnheader', { name });

test('animals: those that wait longest first, from the first page, in an address that can be kept', async () => {
  const { page, store } = current;
  const pets = Array.from({ length: 25 }, (_, index) => ({ name: `No ${index}`, categoryId: 1 }));
  await store.pets.createMany(pets);
  await signIn(current);
  await row(current, 19).waitFor();
  expect(await header('Id').getAttribute('aria-sort')).toBe('descending');
  await button(page, 'Next page').click();
  await button(page, 'Open No 0').waitFor();
  await button(page, 'Id').click();
  await button(page, 'Open No 19').waitFor();
  expect(await header('Id').getAttribute('aria-sort')).toBe('ascending');
  expect(page.url()).toEndWith('#/animals?sort=id');
  await page.getByLabel('Search').fill('No 2');
  await page.getByRole('row').nth(7).waitFor({ state: 'detached' });
  expect(await numbers(4)).toEqual([3, 21, 22, 23, 24, 25]);
  await page.reload();
  await row(current, 5).waitFor();
  expect(await numbers(4)).toEqual([3, 21, 22, 23, 24, 25]);
  await button(page, 'Id').click();
  await header('Id').and(page.locator('[aria-sort=descending]')).waitFor();
  await row(current, 0).getByText('No 24').waitFor();
});

test('orders: the oldest first, and of placed ones that whose hold ends next', async () => {
  const { page, store } = current;
  for (const name of ['Rex', 'Mimi', 'Luna']) {
    const { id } = await store.pets.create({ name, categoryId: 1, status: 'available' });
    await store.orders.place({ petId: id, ...(name === 'Mimi' && { status: 'approved' }) });
  }
  await signIn(current);
  await page.goto('/#/orders');
  await row(current, 2).waitFor();
  expect(await numbers(0)).toEqual([3, 2, 1]);
  await button(page, 'Order').click();
  await row(current, 0).getByText('Rex').waitFor();
  expect(await numbers(0)).toEqual([1, 2, 3]);
  await page.goto('/#/orders?status=placed');
  await button(page, 'Time left').click();
  await header('Time left').and(page.locator('[aria-sort=ascending]')).waitFor();
  await row(current, 2).waitFor({ state: 'detached' });
  expect(await numbers(0)).toEqual([1, 3]);
  // The order of holds means nothing for other orders.
  await page.getByText('Approved').click();
  await row(current, 2).waitFor();
  expect(await numbers(0)).toEqual([3, 2, 1]);
});

test('categories: the largest number first', async () => {
  const { page, store } = current;
  for (const id of [1, 2]) await store.categories.put(id, { name: `Kind ${id}` });
  await signIn(current);
  await page.goto('/#/categories');
  await row(current, 0).getByText('Kind 1').waitFor();
  await button(page, 'Id').click();
  await row(current, 0).getByText('Kind 2').waitFor();
});
