/** What each task of a day at the counter takes, in clicks and keys on a page that is open. */
import { expect, test } from 'bun:test';
import type { NewPet } from '../../sdk/src/index.ts';
import { BY_TEST } from '../support/cause.ts';
import { open, signIn, useConsole } from './console-page.ts';
import { countEffort, type Effort } from './effort.ts';
import { button, dialog, expectRows, goToResults, row } from './places.ts';

const current = useConsole();

/** Signs in to a store with these animals, and counts from then on. */
async function atCounter(...pets: Partial<NewPet>[]): Promise<() => Promise<Effort>> {
  const { page, store } = current;
  await store.categories.put(4, { name: 'Rabbits' });
  await store.pets.createMany(
    pets.map((pet) => ({ name: 'Rex', categoryId: 1, status: 'available', ...pet })),
  );
  await signIn(current);
  await row(current, Math.min(pets.length, 20) - 1).waitFor();
  return countEffort(page);
}

/** Types into the field that has the focus. */
async function type(text: string): Promise<void> {
  await current.page.locator('input:focus, textarea:focus').waitFor();
  await current.page.keyboard.type(text);
}

const press = (key: string): Promise<void> => current.page.keyboard.press(key);

const DAY_MS = 24 * 60 * 60_000;

test("the history and the orders of an animal are one click away, and yesterday's orders; an order is its number and Enter, a person their name", async () => {
  const { page, database } = current;
  const opened = await atCounter({});
  await database.write(BY_TEST, ({ orders }) => {
    for (const [days, reference] of [
      [3, 'Ada'],
      [1, 'Bo'],
      [0, 'Cy'],
    ] as const) {
      const createdAt = new Date(Date.now() - days * DAY_MS).toISOString();
      orders.create({ petId: 1, status: 'returned', createdAt, reference, note: 'Cash.' });
    }
  });
  await button(page, 'Open Rex').click();
  const past = (name: string) => dialog(current).getByRole('region', { name });
  await past('History').getByText('Added as Rex').waitFor();
  for (const text of ['Ada', 'Cash.'])
    await past('Earlier orders').getByText(text).first().waitFor();
  expect(await past('Earlier orders').getByRole('link').count()).toBe(0);
  expect(await opened()).toEqual({ clicks: 1, keys: 0, characters: 0 });
  await current.leave();
  await open(current, 'Orders');
  const effort = await countEffort(page);
  await page.getByRole('radio', { name: 'Yesterday' }).click();
  await expectRows(current, [/^2\s/]);
  expect(await effort()).toEqual({ clicks: 1, keys: 0, characters: 0 });
  await page.getByRole('radio', { name: 'Any day' }).click();
  for (const [text, order] of [
    ['3', 'Order 3'],
    ['Ada', 'Order 1'],
  ] as const) {
    const found = await countEffort(page);
    await press('/');
    await type(text);
    await button(page, `Open ${order.toLowerCase()}`).waitFor();
    await row(current, 1).waitFor({ state: 'detached' });
    await goToResults(current);
    await press('Enter');
    await dialog(current).getByRole('heading', { name: order }).waitFor();
    expect(await found()).toMatchObject({ clicks: 0, keys: 3 });
    await press('Escape');
    await dialog(current).waitFor({ state: 'detached' });
  }
});

test('a name that no animal has leads to the orders, and a reservation is handed over by two clicks and the name, which is typed at once, and with Undo', async () => {
  const { page, store } = current;
  await store.pets.createMany([
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Mimi', categoryId: 1, status: 'available' },
  ]);
  await store.orders.place({ petId: 1, reference: 'Jo Okafor' });
  await store.orders.place({ petId: 2, reference: 'Frau Annegret Huber' });
  await signIn(current);
  await page.keyboard.type('huber');
  await page.getByRole('link', { name: 'Search the orders' }).click();
  await button(page, 'Hand over: Order 2').waitFor();
  await open(current, 'Animals');
  await page.locator('main:focus').waitFor();
  const effort = await countEffort(page);
  await open(current, 'Orders');
  await row(current, 1).waitFor();
  await page.keyboard.type('huber');
  await row(current, 1).waitFor({ state: 'detached' });
  await current.clickUntil('Hand over: Order 2', 'Order 2 is handed over. The animal is sold.');
  expect(await effort()).toMatchObject({ clicks: 2, keys: 1, characters: 5 });
  expect((await store.pets.get(2)).status).toBe('sold');
  await current.clickUntil('Undo', 'Order 2 is returned. The animal is available again.');
  expect((await store.pets.get(2)).status).toBe('available');
  expect((await store.orders.get(2)).status).toBe('returned');
});

test('21 animals of a category get another one by four clicks, the beginnings of both names and two keys', async () => {
  const { page, store } = current;
  await store.categories.put(1, { name: 'Cats' });
  const effort = await atCounter(...Array.from({ length: 21 }, (_, at) => ({ name: `Cat ${at}` })));
  await row(current, 0).getByText('Cats').waitFor();
  await page.getByRole('combobox').click();
  await type('cats');
  await press('Enter');
  await page.getByText('21 match').waitFor();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await button(page, 'Select all 21 that match').click();
  await button(page, 'Set category').click();
  await dialog(current).waitFor();
  await type('rab');
  const half = page.waitForRequest('**/v1/pets/11');
  await press('Enter');
  await half;
  await page.getByText('Animals saved: 21.').waitFor();
  expect(await effort()).toMatchObject({ clicks: 4, keys: 2 });
  expect(await store.pets.list({ categoryId: 4, limit: 100 }).toArray()).toHaveLength(21);
});
