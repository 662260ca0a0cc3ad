/** What a task of a day at the counter takes, in clicks and keys on a page that is open. */
import { expect, test } from 'bun:test';
import { open, signIn, useConsole } from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, row } from './places.ts';

const current = useConsole();

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
