/** What each task of a day at the counter takes, in clicks and keys on a page that is open. */
import { describe, expect, test } from 'bun:test';
import type { NewPet } from '../../sdk/src/index.ts';
import { BY_TEST } from '../support/cause.ts';
import { open, signIn, useConsole } from './console-page.ts';
import { countEffort, type Effort } from './effort.ts';
import { button, dialog, expectRows, goToResults, row } from './places.ts';

const current = useConsole({ context: { timezoneId: 'UTC' } });

const RABBITS = ['Ida', 'Ole', 'Pia', 'Kai', 'Ute', 'Jan', 'Eva', 'Uwe', 'Tom', 'Mia'];

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

describe('an animal', () => {
  test('is found by /, the beginning of its name, ↓ and Enter', async () => {
    const { page } = current;
    const effort = await atCounter({ name: 'Rex' }, { name: 'Мурка' }, { name: 'Mimi' });
    await press('/');
    await type('мур');
    await button(page, 'Open Mimi').waitFor({ state: 'detached' });
    await goToResults(current);
    await press('Enter');
    await dialog(current).getByRole('heading', { name: 'Мурка' }).waitFor();
    expect(await effort()).toEqual({ clicks: 0, keys: 3, characters: 3 });
  });

  test('is reserved for a person by two clicks, the name and Enter', async () => {
    const { page, store } = current;
    const effort = await atCounter({});
    await button(page, 'Open Rex').click();
    await button(dialog(current), 'Reserve').click();
    await dialog(current).getByLabel('Reference').waitFor();
    await type('Ada');
    await press('Enter');
    await page.getByText('Rex is reserved.').waitFor();
    expect(await effort()).toEqual({ clicks: 2, keys: 1, characters: 3 });
    expect(await store.orders.get(1)).toMatchObject({ reference: 'Ada', status: 'placed' });
  });

  test('shows what happened to it by one click: its history and its orders', async () => {
    const { page, store } = current;
    const effort = await atCounter({});
    await store.orders.place({ petId: 1, status: 'delivered', reference: 'Ada' });
    await store.orders.update(1, { status: 'returned' });
    await button(page, 'Open Rex').click();
    const past = (name: string) => dialog(current).getByRole('region', { name });
    await past('History').getByText('Added as Rex').waitFor();
    await past('Earlier orders').getByText('Ada').waitFor();
    expect(await effort()).toEqual({ clicks: 1, keys: 0, characters: 0 });
  });
});

const DAY_MS = 24 * 60 * 60_000;

test("yesterday's orders are one click away, an order its number and Enter, a person their name", async () => {
  const { page, database } = current;
  await atCounter({});
  await database.write(BY_TEST, ({ orders }) => {
    for (const [days, reference] of [
      [3, 'Ada'],
      [1, 'Bo'],
      [0, 'Cy'],
    ] as const) {
      const createdAt = new Date(Date.now() - days * DAY_MS).toISOString();
      orders.create({ petId: 1, status: 'returned', createdAt, reference });
    }
  });
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

test('a reservation is handed over by two clicks and the name, which is typed at once', async () => {
  const { page, store } = current;
  await store.pets.createMany([
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Mimi', categoryId: 1, status: 'available' },
  ]);
  await store.orders.place({ petId: 1, reference: 'Jo Okafor' });
  await store.orders.place({ petId: 2, reference: 'Frau Annegret Huber' });
  await signIn(current);
  const effort = await countEffort(page);
  await open(current, 'Orders');
  await row(current, 1).waitFor();
  await page.keyboard.type('huber');
  await row(current, 1).waitFor({ state: 'detached' });
  await button(page, 'Hand over: Order 2').click();
  await page.getByText('Order 2 is handed over.').waitFor();
  expect(await effort()).toMatchObject({ clicks: 2, keys: 1, characters: 5 });
});

test('a name that no animal has leads to the orders', async () => {
  const { page, store } = current;
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 1, reference: 'Frau Annegret Huber' });
  await signIn(current);
  await page.keyboard.type('huber');
  await page.getByRole('link', { name: 'Search the orders' }).click();
  await button(page, 'Hand over: Order 1').waitFor();
});

test('ten rabbits are added as a pasted list by two clicks, the beginning of the category and Enter', async () => {
  const { page, store } = current;
  const effort = await atCounter({});
  await button(page, 'Add an animal').click();
  await button(dialog(current), 'Add a list of names').click();
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.insertText(RABBITS.join('\n'));
  await press('Tab');
  await type('rab');
  await press('Enter');
  await page.getByText('Animals added: 10.').waitFor();
  expect(await effort()).toEqual({ clicks: 2, keys: 2, characters: 3 });
  expect(await store.pets.list({ categoryId: 4 }).toArray()).toHaveLength(10);
});

test('101 animals of a category get another one by four clicks, the beginnings of both names and two keys', async () => {
  const { page, store } = current;
  await store.categories.put(1, { name: 'Cats' });
  const effort = await atCounter(
    ...Array.from({ length: 101 }, (_, at) => ({ name: `Cat ${at}` })),
  );
  await page.getByRole('combobox').click();
  await type('cats');
  await press('Enter');
  await page.getByText('101 match').waitFor();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await button(page, 'Select all 101 that match').click();
  await button(page, 'Set category').click();
  await dialog(current).waitFor();
  await type('rab');
  await press('Enter');
  await page.getByText('Animals saved: 101.').waitFor();
  expect(await effort()).toMatchObject({ clicks: 4, keys: 2 });
  expect(await store.pets.list({ categoryId: 4, limit: 100 }).toArray()).toHaveLength(101);
});

test('a delivery list is imported by three clicks, and a list is downloaded by one', async () => {
  const { page } = current;
  const effort = await atCounter({});
  await button(page, 'Import').click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog(current).getByLabel('Choose a file, or drop it here').click(),
  ]);
  const buffer = Buffer.from('name,category\nMimi,Rabbits\n');
  await chooser.setFiles({ name: 'delivery.csv', mimeType: 'text/csv', buffer });
  await dialog(current).getByRole('row', { name: 'Mimi Rabbits' }).waitFor();
  await button(dialog(current), 'Import').click();
  await dialog(current).getByText('1 animal was added.').waitFor();
  expect(await effort()).toEqual({ clicks: 3, keys: 0, characters: 0 });
  await press('Escape');
  await dialog(current).waitFor({ state: 'detached' });
  const saving = await countEffort(page);
  await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
  expect(await saving()).toMatchObject({ clicks: 1, keys: 0 });
});
