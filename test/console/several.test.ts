/** Several animals at once. */
import { describe, expect, test } from 'bun:test';
import {
  button,
  type Console,
  dialog,
  failed,
  issueKey,
  rowsOf,
  signIn,
  useConsole,
} from './console-page.ts';

const current = useConsole();

const NAMES = ['Rex', 'Luna', 'Mimi', 'Milo', 'Oscar', 'Bella'];

async function openShop({ store, page }: Console): Promise<void> {
  await store.categories.put(2, { name: 'Rabbits' });
  await store.pets.createMany(NAMES.map((name) => ({ name, categoryId: 1 })));
  await signIn(current);
  await button(page, 'Open Rex').waitFor();
}

async function select({ page }: Console, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
}

const bar = ({ page }: Console) => page.getByRole('region', { name: 'Selected animals' });

describe('five animals', () => {
  test('get a status by a click for each and one for all, and a category by its beginning', async () => {
    const { page, store } = current;
    await openShop(current);
    await select(current, ...NAMES.slice(0, 5));
    await bar(current).getByText('5 selected').waitFor();
    expect(await dialog(current).count()).toBe(0);
    await button(bar(current), 'Set available').click();
    await page.getByText('Animals saved: 5.').waitFor();
    await bar(current).waitFor({ state: 'detached' });
    await select(current, 'Rex', 'Luna');
    await button(bar(current), 'Set category').click();
    await dialog(current).getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('rab');
    await page.keyboard.press('Enter');
    await page.getByText('Animals saved: 2.').waitFor();
    const pets = await store.pets.list().toArray();
    expect(pets.map(({ status, categoryId }) => `${status} ${categoryId}`)).toEqual([
      'available 2',
      'available 2',
      'available 1',
      'available 1',
      'available 1',
      'undefined 1',
    ]);
  });

  test('are deleted after a question, and those that are not are named and stay selected', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409));
    await openShop(current);
    await select(current, 'Mimi');
    await button(bar(current), 'Select all').click();
    await store.pets.update(2, { status: 'available' });
    await store.orders.place({ petId: 2 });
    await store.pets.delete(3);
    await button(bar(current), 'Delete').click();
    await dialog(current).getByText('Delete 6 animals?').waitFor();
    await button(dialog(current), 'Delete').click();
    await page.getByText('Animals deleted: 4.').waitFor();
    const notice = bar(current).getByRole('alert');
    expect(await notice.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Mimi: No animal has this identifier.'),
      expect.stringMatching(/^Luna: .*order/),
    ]);
    await bar(current).getByText('2 selected').waitFor();
    expect(await rowsOf(current)).toEqual([expect.stringContaining('Luna')]);
    await button(bar(current), 'Select none').click();
    await bar(current).waitFor({ state: 'detached' });
  });

  test('that are sold do not become available without their orders, and another page begins anew', async () => {
    const { page, store } = current;
    await openShop(current);
    await store.pets.update(1, { status: 'sold' });
    await select(current, 'Rex', 'Luna');
    await button(bar(current), 'Set available').click();
    await bar(current).getByText('Rex: This animal is sold.').waitFor();
    expect((await store.pets.get(1)).status).toBe('sold');
    await page.getByRole('radio', { name: /^Sold/ }).check();
    await bar(current).waitFor({ state: 'detached' });
  });
});

test('an API key that only reads selects nothing', async () => {
  const { page, store } = current;
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await signIn(current, await issueKey(current, ['pets:read']));
  await button(page, 'Open Rex').waitFor();
  expect(await page.getByRole('checkbox').count()).toBe(0);
});
