/** Windows of 320 pixels: a phone, or a larger window at 400 %. And those in which a list just becomes a table. */
import { beforeEach, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { type Console, open, openRex, signIn, useConsole } from './console-page.ts';
import { button, dialog, row } from './places.ts';

const current = useConsole();
beforeEach(() => current.page.setViewportSize({ width: 320, height: 640 }));
const LARGEST = 9223372036854775807n;

const widthOf = ({ page }: Console, selector: string): Promise<number> =>
  page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().width`);

async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error('It is not shown.');
  return box;
}

test('names, the largest numbers and the buttons of a row have room, and messages cover neither the navigation nor a number', async () => {
  const { page, store } = current;
  await store.categories.put(LARGEST, { name: 'Extraordinarily long name of a category' });
  await signIn(current);
  await open(current, 'Categories');
  await row(current, 0).waitFor();
  expect(await widthOf(current, 'td.title')).toBeGreaterThan(200);
  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(sideways)).toBe(0);
  await store.pets.create({ name: 'Tom', categoryId: LARGEST });
  await open(current, 'Today');
  await page.locator('.stock').getByText('No status').first().waitFor();
  expect(await page.evaluate(sideways)).toBe(0);
  const cut =
    "[...document.querySelectorAll('.nav a')].filter((a) => a.scrollWidth > a.clientWidth).length";
  expect(await page.evaluate(cut)).toBe(0);
  await open(current, 'Animals');
  await current.openAndFill('Add an animal', { Name: 'Rex', Category: '1' });
  await button(dialog(current), 'Add an animal').click();
  const message = await boxOf(page.getByText('Rex was added.'));
  const navigation = page.getByRole('navigation', { name: 'Main' });
  expect(message.y + message.height).toBeLessThanOrEqual((await boxOf(navigation)).y);
  await page.setViewportSize({ width: 640, height: 400 });
  await openRex(current);
  await current.leave('Sell');
  await page.getByText('Rex is sold.').waitFor();
  const sale = await boxOf(page.locator('.status-line p'));
  expect(sale.y + sale.height).toBeLessThanOrEqual((await boxOf(navigation)).y);
  const count = await boxOf(page.getByText('2 in the catalogue'));
  expect(sale.x).toBeGreaterThan(count.x + count.width);
  expect(sale.y + sale.height).toBeLessThan((await boxOf(row(current, 0))).y);
  // The buttons of a row are seen in a window that is just wide enough for a table.
  await store.pets.create({ name: 'W'.repeat(90), categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 3, reference: 'Ada' });
  const { id } = await store.apiKeys.create({ name: 'web shop', scopes: ['pets:read'] });
  await store.apiKeys.rotate(id, { gracePeriodSeconds: 3600 });
  const beside =
    "document.querySelector('.list').scrollWidth - document.querySelector('.list').parentElement.clientWidth";
  for (const screen of ['Orders', 'API keys']) {
    await open(current, screen);
    await row(current, 0).waitFor();
    for (const width of [1025, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([screen, width, await page.evaluate(beside)]).toEqual([screen, width, 0]);
      const buttons = await row(current, 0).locator('.actions button').all();
      const tops = await Promise.all(buttons.map(async (one) => (await boxOf(one)).y));
      expect([screen, width, new Set(tops).size]).toEqual([screen, width, 1]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
  }
});
