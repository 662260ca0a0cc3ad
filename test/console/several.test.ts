/** Several animals at once. */
import { describe, expect, test } from 'bun:test';
import {
  type Console,
  failed,
  holdRequests,
  signIn,
  signInTo,
  useConsole,
} from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, dialog, expectRows, expectTexts } from './places.ts';

const current = useConsole();

const NAMES = ['Rex', 'Luna', 'Mimi', 'Milo', 'Oscar', 'Bella'];

async function openShop({ store }: Console): Promise<void> {
  await store.categories.put(2, { name: 'Rabbits' });
  await store.pets.createMany(
    NAMES.map((name) => ({ name, categoryId: 1, ...(name === 'Bella' && { status: 'sold' }) })),
  );
  await signInTo(current, 'Open Rex');
}

async function select({ page }: Console, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
}

const bar = ({ page }: Console) => page.getByRole('region', { name: 'Selected animals' });

describe('five animals', () => {
  test('get a status by a click for each and one for all, and a category by its beginning; are not deleted if a colleague has sold them since, nor become available without their orders', async () => {
    const { page, store } = current;
    await openShop(current);
    const effort = await countEffort(page);
    await select(current, ...NAMES.slice(0, 5));
    await bar(current).getByText('5 selected').waitFor();
    expect(await dialog(current).count()).toBe(0);
    await button(bar(current), 'Set available').click();
    await page.getByText('Animals saved: 5.').waitFor();
    expect(await effort()).toEqual({ clicks: 6, keys: 0, characters: 0 });
    await bar(current).waitFor({ state: 'detached' });
    await select(current, 'Rex', 'Bella');
    await button(bar(current), 'Set category').click();
    expect(await page.getByText('Animals saved: 5.').count()).toBe(0);
    await dialog(current).getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('rab');
    await page.keyboard.press('Enter');
    await page.getByText('Animals saved: 2.').waitFor();
    const pets = await store.pets.list().toArray();
    expect(pets.map(({ status, categoryId }) => `${status} ${categoryId}`)).toEqual([
      'available 2',
      ...Array(4).fill('available 1'),
      'sold 2',
    ]);
    await select(current, 'Mimi');
    await current.clickUntil('Undo', 'Animals set back: 2.');
    // What was selected since is still selected.
    await bar(current).getByText('1 selected').waitFor();
    await select(current, 'Rex');
    await store.orders.place({ petId: 1, status: 'delivered' });
    await button(bar(current), 'Delete').click();
    await current.pressUntil('Delete', 'Animals deleted: 1.');
    await bar(current).getByText('Rex: Somebody has changed it since.').waitFor();
    expect((await store.pets.get(1)).status).toBe('sold');
    await button(bar(current), 'Set available').click();
    await bar(current).getByText('Rex: This animal is sold.').waitFor();
    expect((await store.pets.get(1)).status).toBe('sold');
    // Another page begins anew.
    await page.getByRole('radio', { name: /^Sold/ }).check();
    await bar(current).waitFor({ state: 'detached' });
  });

  test('are selected by the heading, or as a range with Shift, and are deleted after a question; those that are not are named and stay selected', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409));
    await openShop(current);
    const heading = page.getByRole('checkbox', { name: 'Select all on this page' });
    await select(current, 'Oscar');
    const isPart = () => page.evaluate("document.querySelector('thead input').indeterminate");
    expect(await isPart()).toBe(true);
    await page
      .locator('tr', { hasText: 'Luna' })
      .locator('.pick')
      .click({ modifiers: ['Shift'] });
    expect(await isPicked(current)).toEqual(['Oscar', 'Milo', 'Mimi', 'Luna']);
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    await page.getByRole('checkbox', { name: 'Select Mimi' }).click({ modifiers: ['Shift'] });
    expect(await isPicked(current)).toEqual(['Oscar', 'Milo']);
    await heading.click();
    expect(await isPicked(current)).toHaveLength(6);
    expect(
      await bar(current)
        .getByRole('button', { name: /^Select all/ })
        .count(),
    ).toBe(0);
    await heading.click();
    await bar(current).waitFor({ state: 'detached' });
    await select(current, 'Mimi');
    await button(bar(current), 'Select all').click();
    await store.pets.update(2, { status: 'available' });
    await store.orders.place({ petId: 2 });
    await store.pets.delete(3);
    await button(bar(current), 'Delete').click();
    await dialog(current).getByText('Delete 6 animals?').waitFor();
    await current.pressUntil('Delete', 'Animals deleted: 4.');
    const notice = bar(current).getByRole('alert');
    await expectTexts(notice.getByRole('listitem'), [
      expect.stringContaining('Mimi: No animal has this identifier.'),
      expect.stringMatching(/^Luna: .*order/),
    ]);
    await bar(current).getByText('2 selected').waitFor();
    await expectRows(current, ['Luna']);
    await button(bar(current), 'Select none').click();
    await bar(current).waitFor({ state: 'detached' });
  });
});

const isPicked = ({ page }: Console): Promise<string[]> =>
  page.locator('tbody tr:has(:checked) .title').allInnerTexts();

describe('all that match', () => {
  const COUNT = 21;

  /** A shop of rabbits that has another animal. */
  async function addRabbits({ store }: Console, number: number): Promise<void> {
    await store.categories.put(2, { name: 'Rabbits' });
    await store.categories.put(3, { name: 'Hares' });
    await store.pets.create({ name: 'Rex', categoryId: 1 });
    const rabbits = Array.from({ length: number }, (_, at) => `Rabbit ${at + 1}`);
    await store.pets.createMany(
      rabbits.map((name) => ({ name, categoryId: 2, status: 'available' as const })),
    );
  }

  /** Selects all rabbits on their first page. */
  async function selectRabbits({ page }: Console, number: number): Promise<void> {
    await page.getByText(`${number} match`).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await button(bar(current), `Select all ${number} that match`).click();
    await bar(current).getByText(`${number} selected`).waitFor();
  }

  async function typeAndEnter({ page }: Console, text: string): Promise<void> {
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  }

  const countOf = async ({ store }: Console, categoryId: number): Promise<number> =>
    (await store.pets.list({ categoryId, limit: 100 }).toArray()).length;

  test('get a category by four clicks, the beginnings of both names and two keys, and it is undone but for what a colleague has changed since, also after a lost response', async () => {
    const { page, context, store, expected } = current;
    expected.push(/ERR_FAILED/, failed(412));
    await addRabbits(current, COUNT);
    await signIn(current);
    await page.locator('tbody tr').first().getByText('Rabbits').waitFor();
    const effort = await countEffort(page);
    await page.getByRole('combobox').click();
    await typeAndEnter(current, 'rab');
    await selectRabbits(current, COUNT);
    await context.route(
      '**/v1/pets/9',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button(bar(current), 'Set category').click();
    await dialog(current).getByText('Category of 21 animals').waitFor();
    expect(await bar(current).getByText('Select all').count()).toBe(0);
    await typeAndEnter(current, 'har');
    await page.getByText('Animals saved: 21.').waitFor();
    expect(await effort()).toMatchObject({ clicks: 4, keys: 2 });
    expect(await countOf(current, 3)).toBe(COUNT);
    await store.pets.update(7, { status: 'pending' });
    await current.clickUntil('Undo', 'Animals set back: 20. Not changed: 1.');
    const notice = bar(current).getByRole('alert');
    await expectTexts(notice.getByRole('listitem'), ['Rabbit 6: Somebody has changed it since.']);
    expect(await countOf(current, 2)).toBe(COUNT - 1);
    expect(await store.pets.get(7)).toMatchObject({ status: 'pending', categoryId: 3 });
  });

  test('stop on request and when the connection is lost, and are deleted after a question; those that are not stay selected, and are named', async () => {
    const { page, context, store, expected } = current;
    expected.push(/ERR_FAILED/, failed(409));
    // The service lists 100 at once.
    await addRabbits(current, 101);
    await signIn({ ...current, start: '/#/animals?category=2&name=rabbit' });
    await selectRabbits(current, 101);
    const release = await holdRequests(current, '**/v1/pets/*', 10);
    await button(bar(current), 'Set pending').click();
    await bar(current).getByText('10 of 101').waitFor();
    await button(bar(current), 'Stop').click();
    release();
    await page.getByText('Animals saved: 14. Not changed: 87.').waitFor();
    await bar(current).getByText('87 selected').waitFor();
    await context.unroute('**/v1/pets/*');
    const tried = new Set<string>();
    await context.route('**/v1/pets/*', (route) => {
      tried.add(route.request().url());
      return route.abort();
    });
    await button(bar(current), 'Set pending').click();
    await bar(current).getByText('That did not work').waitFor();
    await bar(current).getByText('87 selected').waitFor();
    expect(tried.size).toBeLessThan(11);
    await context.unroute('**/v1/pets/*');
    await button(bar(current), 'Select none').click();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    // The page has those from 102 to 83, and the first 14 of them are pending.
    for (let petId = 83; petId <= 88; petId += 1) await store.orders.place({ petId });
    await button(bar(current), 'Delete').click();
    await dialog(current).getByText('Delete 20 animals? This cannot be undone.').waitFor();
    await current.pressUntil('Delete', 'Animals deleted: 14. Not changed: 6.');
    expect(await button(page, 'Undo').count()).toBe(0);
    const notice = bar(current).getByRole('alert');
    expect(await notice.getByRole('listitem').count()).toBe(5);
    await notice.getByText('and 1 more').waitFor();
    const left = await store.pets.list({ sort: '-id', limit: 7 }).toArray({ limit: 7 });
    expect(left.map(({ id }) => id)).toEqual([88, 87, 86, 85, 84, 83, 82]);
  });
});
