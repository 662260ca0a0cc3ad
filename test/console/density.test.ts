/** How much of a list is seen: on a screen of the counter, at 200 % zoom, on a phone, and on paper. */
import { beforeEach, expect, test } from 'bun:test';
import { type Console, signIn, useConsole } from './console-page.ts';
import { button, row } from './places.ts';

const current = useConsole();

beforeEach(async () => {
  await current.page.setViewportSize({ width: 1280, height: 800 });
  const pets = Array.from({ length: 40 }, (_, index) => ({ name: `No ${index}`, categoryId: 1 }));
  await current.store.pets.createMany(pets);
  await signIn(current);
  await row(current, 0).waitFor();
});

/** How many rows are seen as a whole, above what covers the foot of the window, and where the first one begins. */
const seen = ({ page }: Console): Promise<{ rows: number; first: number }> =>
  page.evaluate(`(() => {
    const rows = [...document.querySelectorAll('table.list tbody tr')].map((row) => row.getBoundingClientRect());
    const foot = document.querySelector('.nav').getBoundingClientRect();
    const end = foot.top > 100 ? foot.top : innerHeight;
    return { rows: rows.filter(({ bottom }) => bottom <= end).length, first: rows[0].top };
  })()`);

test('there are 13 animals or 12 orders on a screen, 4 entries at 200 %, and a long name takes two lines', async () => {
  const { page, store } = current;
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(13);
  await page.setViewportSize({ width: 640, height: 400 });
  expect((await seen(current)).rows).toBeGreaterThanOrEqual(4);
  await button(page, 'Sign out').click({ trial: true });
  await page.setViewportSize({ width: 390, height: 664 });
  // The first one is in the upper half of a phone.
  expect((await seen(current)).first).toBeLessThan(220);
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

test('a printed list has what it says, and nothing to click; in a small window, the filters are folded away, and say that they are set', async () => {
  const { page } = current;
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const isSeen = (place: { isVisible: () => Promise<boolean> }) => place.isVisible();
  expect(await isSeen(page.getByRole('heading', { name: 'Animals' }))).toBe(true);
  expect(await isSeen(page.getByRole('cell', { name: 'No 39' }))).toBe(true);
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
  await page.setViewportSize({ width: 390, height: 664 });
  expect(await category.isVisible()).toBe(false);
  await button(page, 'Filters').click();
  await category.fill('2');
  await category.press('Enter');
  await page.getByText('No animal matches').waitFor();
  await button(page, 'Filters (1)').click();
  expect(await category.isVisible()).toBe(false);
  await page.goto('/#/animals?category=1e3');
  await page.getByText('Enter a whole number.').waitFor();
});
