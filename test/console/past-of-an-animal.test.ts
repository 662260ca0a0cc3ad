/** A sold animal that comes back, and what its dialog says about its past. */
import { expect, test } from 'bun:test';
import { addRex, issueKey, openRex, signIn, useConsole } from './console-page.ts';
import { button, dialog, expectRows } from './places.ts';

const current = useConsole();

test('an animal that comes back returns its order, with the reason in the note, and leads to all of many orders, and Back to its list', async () => {
  const { page, store } = current;
  await addRex(current);
  // Another program has stored a space.
  const texts = { reference: 'Ada', note: ' Paid in cash.' };
  await store.orders.place({ petId: 1, status: 'delivered', ...texts });
  await signIn(current);
  await openRex(current);
  const earlier = dialog(current).getByRole('region', { name: 'Earlier orders' });
  for (const text of Object.values(texts)) await earlier.getByText(text).waitFor();
  expect(await earlier.getByRole('link').count()).toBe(0);
  expect(await dialog(current).getByRole('radio', { name: 'Available' }).isDisabled()).toBe(true);
  await current.pressUntilInside('Take back', 'Order 1 of');
  await page.keyboard.insertText('x'.repeat(987));
  await current.pressUntilInside('Take back', 'at most 1,000 characters');
  await dialog(current).getByLabel('Reason').fill('Allergy in the family.');
  await current.pressUntil('Take back', 'Rex is available again.');
  await button(dialog(current), 'Sell').waitFor();
  expect(await store.orders.get(1)).toMatchObject({
    status: 'returned',
    note: 'Paid in cash.\nAllergy in the family.',
  });
  expect((await store.pets.get(1)).status).toBe('available');
  for (let id = 2; id <= 6; id += 1) {
    await store.orders.place({ petId: 1 });
    await store.orders.cancel(id);
  }
  await page.getByRole('link', { name: 'All orders of this animal' }).click();
  await page.getByText('Only orders of animal 1.').waitFor();
  await expectRows(current, 6);
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.goBack();
  await button(page, 'Open Rex').waitFor();
});

test('an API key that lacks a scope learns what it cannot read, and nothing breaks', async () => {
  const { requests } = current;
  await addRex(current, 'sold');
  await signIn(current, await issueKey(current, ['pets:read', 'pets:write']));
  await openRex(current);
  for (const [region, scope] of [
    ['Earlier orders', 'orders:read'],
    ['History', 'events:read'],
  ] as const) {
    const place = dialog(current).getByRole('region', { name: region });
    await place.getByText(`does not have the scope ${scope}`).waitFor();
  }
  await current.pressUntilInside('Take back', 'This API key cannot return orders.');
  await button(dialog(current), 'Take back').click();
  await dialog(current).getByRole('radio', { name: 'Available', checked: true }).waitFor();
  await dialog(current).getByRole('radio', { name: 'Sold' }).check();
  await current.pressUntil('Save', 'Rex was saved.');
  expect(requests.filter((request) => /orders|events/.test(request.url()))).toHaveLength(0);
});

test('the history says who changed what and when, newest first', async () => {
  const { store, page, database } = current;
  await store.categories.put(2, { name: 'Dogs' });
  await addRex(current);
  await store.pets.update(1, { categoryId: 2, status: null });
  const cause = { actor: { command: 'repair', user: 'ada' }, at: Date.now() };
  await database.write(cause, ({ pets }) =>
    pets.replace({ id: 1, name: 'Rex', categoryId: 2, status: 'available' }),
  );
  for (let index = 1; index <= 4; index += 1) await store.pets.update(1, { name: `Rex ${index}` });
  await signIn(current);
  await button(page, 'Open Rex 4').click();
  const history = dialog(current).getByRole('region', { name: 'History' });
  await button(history, 'Show older changes').click();
  await history.getByText('Dogs').waitFor();
  const entries = await history.getByRole('listitem').allInnerTexts();
  expect(entries.map((entry) => entry.split('\n').slice(0, -1).join('; '))).toEqual([
    'Name: Rex 3 → Rex 4',
    'Name: Rex 2 → Rex 3',
    'Name: Rex 1 → Rex 2',
    'Name: Rex → Rex 1',
    'Status: No status → Available',
    'Category: Category 1 → Dogs 2; Status: Available → No status',
    'Added as Rex',
  ]);
  expect(entries[0]).toMatch(/\ntest · .+/);
  expect(entries[4]).toContain('command repair of ada · ');
});
