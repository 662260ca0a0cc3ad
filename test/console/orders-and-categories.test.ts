import { describe, expect, test } from 'bun:test';
import { button, dialog, failed, open, row, rowsOf, signIn, useConsole } from './console-page.ts';

describe('orders', () => {
  const current = useConsole();

  test('are approved, delivered and cancelled, and show how long they hold their animal', async () => {
    const { page, store } = current;
    for (const name of ['Rex', 'Mia', 'Tom']) {
      await store.pets.create({ name, categoryId: 1, status: 'available' });
    }
    for (const petId of [1, 2]) await store.orders.place({ petId });
    await signIn(current);
    await open(current, 'Orders');
    await page.getByText('30 min left').first().waitFor();
    await button(page, 'Approve: Order 1').click();
    await page.getByText('Order 1 is approved.').waitFor();
    await button(page, 'Mark as delivered: Order 1').click();
    await page.getByText('Order 1 is delivered.').waitFor();
    await button(page, 'Cancel order: Order 2').click();
    await page.getByText('Order 2 is cancelled.').waitFor();
    await button(page, 'Cancel order: Order 2').waitFor({ state: 'detached' });
    expect(await rowsOf(current)).toEqual([
      expect.stringContaining('Delivered'),
      expect.stringContaining('Cancelled'),
    ]);
    const statuses = [];
    for await (const { status } of store.pets.list()) statuses.push(status);
    expect(statuses).toEqual(['sold', 'available', 'available']);
    await page.getByRole('radio', { name: 'Cancelled' }).check();
    await row(current, 1).waitFor({ state: 'detached' });
    expect(await rowsOf(current)).toEqual([expect.stringContaining('Cancelled')]);
  });

  test('of an animal that a colleague has reserved are refused in the words of the service', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409));
    await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
    await signIn(current);
    await button(page, 'Open Rex').click();
    await button(dialog(current), 'Reserve').waitFor();
    await store.orders.place({ petId: 1 });
    await button(dialog(current), 'Reserve').click();
    await dialog(current).getByText('That did not work').waitFor();
    await dialog(current)
      .getByText(/Request id: \S+/)
      .waitFor();
  });
});

describe('the time that is left of a hold', () => {
  const current = useConsole();

  test('is right although the clock of the browser is wrong', async () => {
    const { page, store } = current;
    await page.clock.install({ time: Date.now() + 5 * 60 * 60 * 1000 });
    await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
    await store.orders.place({ petId: 1 });
    await signIn(current);
    await open(current, 'Orders');
    // The header Date is in seconds, and a response may contain that of the second before.
    await page.getByText(/(30|31) min left/).waitFor();
  });

  test('ends with the order being loaded again', async () => {
    const { page, store } = current;
    await page.clock.install();
    await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
    await store.orders.place({ petId: 1 });
    await signIn(current);
    await open(current, 'Orders');
    await page.getByText('30 min left').waitFor();
    await store.orders.update(1, { status: 'cancelled' });
    await page.clock.fastForward('31:00');
    await page.getByRole('cell', { name: 'Cancelled' }).waitFor();
  });
});

describe('categories', () => {
  const current = useConsole();

  test('get a name, another name, and lose it', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409));
    await signIn(current);
    await open(current, 'Categories');
    await button(page, 'Name a category').click();
    await dialog(current).getByLabel('Category id').fill('7');
    await dialog(current).getByLabel('Name').fill('Dogs');
    await button(dialog(current), 'Save').click();
    await page.getByText('Category Dogs was saved.').waitFor();
    await store.pets.create({ name: 'Rex', categoryId: 7 });
    await button(page, 'Rename: Dogs').click();
    await dialog(current).getByLabel('Name').fill('Good dogs');
    await button(dialog(current), 'Save').click();
    await page.getByRole('link', { name: 'Good dogs' }).click();
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    expect(await rowsOf(current)).toEqual([expect.stringContaining('Good dogs')]);
    await page.goBack();
    await button(page, 'Delete: Good dogs').click();
    await button(dialog(current), 'Delete').click();
    await dialog(current).getByText('That did not work').waitFor();
    await store.pets.delete(1);
    await button(dialog(current), 'Delete').click();
    await page.getByText('No categories yet').waitFor();
  });
});
