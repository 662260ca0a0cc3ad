/** The first page after signing in: how the shop is doing. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { BY_TEST } from '../support/cause.ts';
import { holdRequests, installClock, issueKey, open, signIn, useConsole } from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, chooseFile, dialog, expectRows, expectTexts } from './places.ts';

/** `/` shows Today. */
const current = useConsole({ start: '/' });

const DAY_MS = 24 * 60 * 60_000;
const LONG_DAY = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });

const panel = (title: string) => current.page.getByRole('region', { name: title, exact: true });
/** Waits for a figure. */
const figure = (title: string, text: string) =>
  panel(title).getByRole('link', { name: text, exact: true });
const startOfToday = () => new Date(new Date().toISOString().slice(0, 10)).getTime();
const dateOf = (daysAgo: number) =>
  new Date(startOfToday() - daysAgo * DAY_MS).toISOString().slice(0, 10);

/** Two categories, an animal for sale that waits longest, one that is held, and sales on several days. */
async function openShop(): Promise<void> {
  const { store, database } = current;
  await store.categories.put(1, { name: 'Cats' });
  await store.categories.put(2, { name: 'Dogs' });
  const pets = ['Rex', 'Mimi', 'Bella', 'Luna'].map((name, index) => ({
    name,
    categoryId: 2 - (index % 2),
    status: 'available' as const,
  }));
  await store.pets.createMany(pets);
  await store.orders.place({ petId: 2, reference: 'Frau Huber' });
  await store.orders.place({ petId: 4, status: 'delivered' });
  await database.write(BY_TEST, ({ orders }) => {
    for (const daysAgo of [1, 29, 30]) {
      const at = new Date(startOfToday() - daysAgo * DAY_MS + 1).toISOString();
      orders.create({
        petId: 4,
        status: 'returned',
        createdAt: at,
        deliveredAt: at,
        endedAt: at,
      });
    }
  });
}

/** How many of the sales are in the week of today, by the shop that `openShop` makes. */
const soldThisWeek = (): number => (new Date(startOfToday()).getUTCDay() === 1 ? 1 : 2);

describe('a shop with animals', () => {
  beforeEach(openShop);

  test('says without a click how many were sold and what expires today, and opens the lists that are counted; says the figure of a day to the pointer, to the keyboard and in a table, follows the changes of a colleague, and says whose they are', async () => {
    const { page, store } = current;
    await signIn(current);
    await page.getByRole('heading', { name: 'Today', level: 1 }).waitFor();
    expect(await page.title()).toBe('Today · Animal Store');
    const effort = await countEffort(page);
    await figure('Sold', '1 Today').waitFor();
    await figure('Sold', `${soldThisWeek()} Since Monday`).waitFor();
    await figure('Sold', '3 In 30 days').waitFor();
    const holds = panel('Holds that expire next');
    await holds.getByText('Mimi').waitFor();
    await holds.getByText('Frau Huber').waitFor();
    await holds.getByText('30 min left').waitFor();
    expect(await effort()).toEqual({ clicks: 0, keys: 0, characters: 0 });
    // Returned orders are counted, too.
    await figure('Sold', '3 In 30 days').click();
    await expectRows(current, ['Handed over', 'Returned', 'Returned']);
    await page.goBack();
    const placed = figure('Holds that expire next', '1 Placed');
    expect(await placed.getAttribute('href')).toBe('#/orders?status=placed');
    await expectTexts(panel('Stock').getByRole('rowheader'), ['Dogs', 'Cats', 'All']);
    const dogs = panel('Stock').getByRole('row', { name: 'Dogs' });
    await expectTexts(dogs.getByRole('cell'), ['', '2', '0', '0']);
    expect(await dogs.locator('svg').count()).toBe(1);
    expect(await panel('Stock').locator('svg').count()).toBe(2);
    const cats = panel('Stock').getByRole('row', { name: 'Cats' });
    const sold = cats.getByRole('link', { name: '1' }).last();
    expect(await sold.getAttribute('href')).toBe('#/animals?status=sold&category=1');
    await panel('Waiting longest').getByRole('listitem').first().getByRole('button').click();
    await dialog(current).getByRole('heading', { name: 'Rex' }).waitFor();
    await page.keyboard.press('Escape');
    await panel('Holds that expire next').getByRole('button', { name: 'Mimi Order 1' }).click();
    await current.pressUntil('Hand over: Order 1', 'Order 1 is handed over.');
    await page.keyboard.press('Escape');
    await panel('Holds that expire next').getByText('No order waits').waitFor();
    await figure('Sold', '2 Today').waitFor();
    const plot = page.getByRole('group', { name: 'Sold per day' });
    const days = plot.getByRole('link');
    await days.last().waitFor();
    expect(await days.count()).toBe(30);
    const said = (text: RegExp) => plot.locator('text').first().filter({ hasText: text }).waitFor();
    await page.mouse.move(0, 0);
    await said(/^2$/);
    await days.nth(28).hover();
    await said(/: 1$/);
    await days.last().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await said(/: 0$/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await button(page, 'Open order 3').waitFor();
    await page.waitForURL(`**?by=delivered&from=${dateOf(1)}&to=${dateOf(1)}`);
    await page.goBack();
    await page.getByText('Show as a table').click();
    const counts = await panel('Sold').getByRole('row').allInnerTexts();
    expect(counts.slice(1).map((text) => Number(text.split('\t')[1]))).toEqual([
      1,
      ...Array.from({ length: 27 }, () => 0),
      1,
      2,
    ]);
    const last = panel('What happened last').getByRole('listitem');
    await last.first().waitFor();
    await store.pets.create({ name: 'Momo', categoryId: 1, status: 'available' });
    await store.orders.place({ petId: 1, status: 'delivered' });
    await store.pets.delete(5);
    await store.pets.update(3, { name: 'Bello' });
    await store.apiKeys.create({ name: 'Till', scopes: ['pets:read'] });
    await last.first().getByText('Till').waitFor();
    await figure('Sold', '3 Today').waitFor();
    const [, bello, deleted, rex, momo] = await last.all();
    await bello?.getByText('Bello changed').waitFor();
    await deleted?.getByText('Momo deleted').waitFor();
    expect(await deleted?.getByRole('link').count()).toBe(0);
    await rex?.getByText('Rex Sold · Order 6 Handed over').waitFor();
    await momo?.filter({ hasText: /^Momo added\s*test/ }).waitFor();
    expect(await last.count()).toBe(8);
  });

  test('shows nothing that the API key may not read, nor do the orders', async () => {
    const { page, requests } = current;
    const refused: string[] = [];
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
    const headings = page.getByRole('heading', { level: 2 });
    await signIn(current, await issueKey(current, ['pets:read']));
    await panel('Stock').getByText('Dogs').waitFor();
    await expectTexts(headings, ['Stock', 'Waiting longest']);
    await button(page, 'Sign out').click();
    await signIn(current, await issueKey(current, ['orders:read']));
    await panel('Holds that expire next').getByText('Frau Huber').waitFor();
    await expectTexts(headings, ['Sold', 'Holds that expire next']);
    expect(refused).toEqual([]);
    const before = requests.length;
    await open(current, 'Orders');
    await expectRows(current, [/^1\s+2\s+Frau Huber\s+Placed/]);
    const names = requests.slice(before).filter((request) => request.url().includes('/pets'));
    expect(names).toHaveLength(0);
    await page.getByText('30 min left').waitFor();
  });
});

test('the page says how many holds end today, as a number below 300', async () => {
  const { store, database } = current;
  /** Adds holds, all of which end today but the first one. */
  const hold = (from: number, to: number) =>
    database.write(BY_TEST, ({ orders }) => {
      for (let petId = from; petId <= to; petId += 1) {
        const end = startOfToday() + (petId === 1 ? 2 : 1) * DAY_MS - 1;
        const expiresAt = new Date(end).toISOString();
        orders.create({ petId, status: 'placed', createdAt: new Date().toISOString(), expiresAt });
      }
    });
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await hold(1, 13);
  await signIn(current);
  await figure('Holds that expire next', '12 Expire today').waitFor();
  await hold(14, 302);
  await figure('Holds that expire next', '300 or more Expire today').waitFor();
});

test('an empty shop has the first steps that the key may do, each of which knows the ones before, and which end with the first animal', async () => {
  const { page, service } = current;
  const steps = panel('Steps to open the shop');
  await signIn(current, await issueKey(current, ['pets:read', 'pets:write']));
  await button(steps, 'Add an animal').waitFor();
  expect(await button(page, 'Create an API key').count()).toBe(0);
  await button(page, 'Sign out').click();
  await signIn({ page, service });
  await button(steps, 'Create an API key').waitFor();
  expect(await steps.getByRole('listitem').nth(2).textContent()).toStartWith('Add animals');
  await button(steps, 'Add a category').click();
  await dialog(current).getByLabel('Name').fill('Dogs');
  await current.leave('Save');
  await button(steps, 'Import').click();
  await chooseFile(current, 'dogs.csv', 'name,category\nRex,Dogs\n');
  await dialog(current).getByText('1 animal can be added.').waitFor();
  await page.keyboard.press('Escape');
  await button(steps, 'Create an API key').click();
  await dialog(current).getByRole('radio', { name: 'Counter staff', checked: true }).waitFor();
  await page.keyboard.press('Escape');
  await button(steps, 'Add an animal').click();
  await current.fill({ Name: 'Rex', Category: 'dogs' });
  await current.pressUntilInside('Save and add another', 'Rex was added.');
  await page.keyboard.press('Escape');
  await panel('Stock').getByRole('link', { name: 'Dogs' }).waitFor();
});

test('the page shows the new day after midnight', async () => {
  const { page, context } = await installClock(current, startOfToday() + DAY_MS - 3_600_000);
  // The service has no stream of changes for this key, and the clock of the page counts.
  const key = await issueKey(current, ['pets:read', 'orders:read']);
  await context.route('**/v1/**', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), date: '' };
    await route.fulfill({ response, headers }).catch(() => {});
  });
  await openShop();
  await signIn(current, key);
  await figure('Sold', '1 Today').waitFor();
  await page.clock.fastForward('02:00:00');
  await page.getByText(LONG_DAY.format(startOfToday() + DAY_MS)).waitFor();
  // The day of the service is still the one before.
  await figure('Sold', '0 Today').waitFor();
});

test('an animal is found by its number or its name and Enter, wherever the focus is; a second scan during the search for the first one counts, and a search that takes long opens nothing over what the user edits', async () => {
  const { page, store, requests } = current;
  await openShop();
  const releaseScans = await holdRequests(current, '**/v1/pets?*id=3*');
  const release = await holdRequests(current, '**/v1/pets?*id=4*');
  await signIn(current);
  await panel('Stock').waitFor();
  await page.keyboard.type('1\n');
  await dialog(current).locator('button:focus', { hasText: 'Sell' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Rex is sold.').waitFor();
  expect((await store.pets.get(1)).status).toBe('sold');
  await dialog(current).waitFor({ state: 'detached' });
  await page.keyboard.type('3\n');
  await page.keyboard.type('2\n');
  releaseScans();
  await dialog(current).getByRole('heading', { name: 'Mimi' }).waitFor();
  await current.leave();
  await page.keyboard.type('4\n');
  await panel('Waiting longest').getByRole('button', { name: 'Bella' }).click();
  await dialog(current).getByLabel('Name').fill('Bella the second');
  // No dialog waits for a search.
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Keep editing').click();
  const found = page.waitForResponse('**/v1/pets?*id=4*');
  release();
  await (await found).finished();
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Bella the second');
  await page.keyboard.press('Escape');
  await current.leave('Discard');
  await page.keyboard.press('/');
  await page.keyboard.type('bell\n');
  await dialog(current).getByRole('heading', { name: 'Bella' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search').fill('m');
  // An input method uses the key.
  await page.getByLabel('Search').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await page.getByLabel('Search').fill('e');
  await page.getByLabel('Search').press('Enter');
  await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor();
  expect(requests.filter((request) => request.url().includes('name=m'))).toHaveLength(0);
  await button(page, 'Open Rex').waitFor();
  await expectRows(current, 2);
});
