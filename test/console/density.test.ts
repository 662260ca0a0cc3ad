/** How much of a list is seen: on a screen of the counter, at 200 % zoom, on a phone, and on paper. */
import { expect, test } from 'bun:test';
import { addAnimals, type Console, signIn, useConsole } from './console-page.ts';
import { button, row } from './places.ts';

const current = useConsole();

/** How many rows are seen as a whole, above what covers the foot of the window, and where the first one begins. */
const seen = ({ page }: Console): Promise<{ rows: number; first: number }> =>
  page.evaluate(`(() => {
    const rows = [...document.querySelectorAll('table.list tbody tr')].map((row) => row.getBoundingClientRect());
    const foot = document.querySelector('.nav').getBoundingClientRect();
    const end = foot.top > 100 ? foot.top : innerHeight;
    return { rows: rows.filter(({ bottom }) => bottom <= end).length, first: rows[0].top };
  })()`);

test('a screen has 13 animals or 12 orders, 4 at 200 %, and folds filters away if it is small; paper has nothing to click', async () => {
  const { page, store } = current;
  await page.setViewportSize({ width: 1280, height: 800 });
  await addAnimals(current, 40);
  await signIn(current);
  await row(current, 19).waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const isSeen = (place: { isVisible: () => Promise<boolean> }) => place.isVisible();
  expect(await isSeen(page.getByRole('heading', { name: 'Animals' }))).toBe(true);
  expect(await isSeen(page.getByRole('cell', { name: 'Animal 40' }))).toBe(true);
  for (const name of ['Add an animal', 'Sign out', 'Next page'])
    expect(await isSeen(button(page, name))).toBe(false);
  expect(await isSeen(page.getByLabel('Search'))).toBe(false);
  expect(await isSeen(page.getByText('One page of the list: 20 entries.'))).toBe(true);
  const paper = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  expect(paper).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ media: null, colorScheme: null });
  const category = page.getByLabel('Category');
  expect(await button(page, 'Filters').isVisible()).toBe(false);
  expect(await category.isVisible()).toBe(true);
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(13);
  await page.setViewportSize({ width: 640, height: 400 });
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(4);
  await button(page, 'Sign out').click({ trial: true });
  await page.setViewportSize({ width: 390, height: 664 });
  // The first one is in the upper half of a phone.
  expect((await seen(current)).first).toBeLessThan(220);
  expect(await category.isVisible()).toBe(false);
  await button(page, 'Filters').click();
  await category.fill('2');
  await category.press('Enter');
  await page.getByText('No animal matches').waitFor();
  await button(page, 'Filters (1)').click();
  expect(await category.isVisible()).toBe(false);
  await page.goto('/#/animals?category=1e3');
  await page.getByText('Enter a whole number.').waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  const reference = 'Frau Annegret Huber';
  for (let petId = 1; petId <= 14; petId += 1) {
    const name = petId === 1 ? 'W '.repeat(127).trim() : 'Simba 157';
    await store.pets.update(petId, { status: 'available', name });
    await store.orders.place({ petId, reference });
  }
  await page.goto('/#/orders');
  await row(current, 13).getByText(reference).waitFor();
  await page.getByText('W W W').waitFor();
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(12);
  const box = await row(current, 13).boundingBox();
  expect(box?.height).toBeLessThan(64);
  const animal = await button(page, 'Open Simba 157').first().boundingBox();
  expect(animal?.height).toBeLessThan(30);
  await page.setViewportSize({ width: 640, height: 400 });
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(4);
  for (let id = 1; id <= 5; id += 1) await store.categories.put(id, { name: `Animals ${id}` });
  await page.goto('/#/categories');
  await page.getByRole('heading', { name: 'Categories', level: 1 }).waitFor();
  await row(current, 4).waitFor();
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(4);
});
