/** Windows of 320 pixels: a phone, or a larger window at 400 %. And those in which a list just becomes a table. */
import { expect, test } from 'bun:test';
import { button, type Console, dialog, open, row, signIn, useConsole } from './console-page.ts';

const current = useConsole({ context: { viewport: { width: 320, height: 640 } } });
const LARGEST = 9223372036854775807n;

const widthOf = ({ page }: Console, selector: string): Promise<number> =>
  page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().width`);

test('names and the largest numbers have room, and messages do not cover the navigation', async () => {
  const { page, store } = current;
  await store.categories.put(LARGEST, { name: 'Extraordinarily long name of a category' });
  await signIn(current);
  await open(current, 'Categories');
  await row(current, 0).waitFor();
  expect(await widthOf(current, 'td.title')).toBeGreaterThan(200);
  const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(sideways)).toBe(0);
  await open(current, 'Animals');
  await button(page, 'Add an animal').click();
  await dialog(current).getByLabel('Name').fill('Rex');
  await dialog(current).getByLabel('Category').fill('1');
  await button(dialog(current), 'Add an animal').click();
  const message = await page.getByText('Rex was added.').boundingBox();
  const navigation = await page.getByRole('navigation', { name: 'Main' }).boundingBox();
  if (message === null || navigation === null) throw new Error('Both are shown.');
  expect(message.y + message.height).toBeLessThanOrEqual(navigation.y);
});

test('the buttons of a row are seen in a window that is just wide enough for a table', async () => {
  const { page, store } = current;
  await store.pets.create({ name: 'W'.repeat(90), categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 1, status: 'approved', reference: 'Ada' });
  const { id } = await store.apiKeys.create({ name: 'web shop', scopes: ['pets:read'] });
  await store.apiKeys.rotate(id, { gracePeriodSeconds: 3600 });
  await signIn(current);
  const beside =
    "document.querySelector('.list').scrollWidth - document.querySelector('.list').parentElement.clientWidth";
  for (const screen of ['Orders', 'API keys']) {
    await open(current, screen);
    await row(current, 0).waitFor();
    for (const width of [1025, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([screen, width, await page.evaluate(beside)]).toEqual([screen, width, 0]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
  }
});
