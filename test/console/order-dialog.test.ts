/** One order: its reference and note, its return, and its sheet of paper. */
import { expect, test } from 'bun:test';
import { checkAllAppearances } from '../support/axe.ts';
import { issueKey, open, signIn, useConsole } from './console-page.ts';
import { button, dialog, expectFocus } from './places.ts';

const current = useConsole();

/** Sells Rex, and signs in where the order is. */
async function sellRex(): Promise<void> {
  const { store } = current;
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({
    petId: 1,
    status: 'delivered',
    reference: 'R-17',
    // Another program has stored a space, which is no edit of the user.
    note: ' Paid in cash.',
  });
  await signIn({ ...current, start: '/#/orders?status=delivered' });
}

test('the texts of an order are edited, and two who edit them lose nothing; its animal opens after a question, and it is returned by three clicks, with a reason that is added to its note', async () => {
  const { page, store } = current;
  await sellRex();
  await current.openAndFill('Open order 1', { Reference: 'Ada' });
  await store.orders.update(1, { note: 'Paid by card.' });
  await current.pressUntil('Save', 'Order 1 was saved.');
  expect(await store.orders.get(1)).toMatchObject({ reference: 'Ada', note: 'Paid by card.' });
  await current.openAndFill('Open order 1', { Note: 'Fetched by her son.', Reference: '' });
  await store.orders.update(1, { note: 'Fetched by her daughter.' });
  await current.pressUntilInside('Save', 'Someone else changed the same text');
  await dialog(current).getByText('Fetched by her daughter.').waitFor();
  await checkAllAppearances(page, 'an order that a colleague has changed', 'dialog .notice');
  await page.keyboard.press('Escape');
  await dialog(current).getByText('Discard your changes?').waitFor();
  await current.press('Keep editing');
  expect(await dialog(current).getByLabel('Note').inputValue()).toBe('Fetched by her son.');
  expect((await store.orders.get(1)).reference).toBe('Ada');
  await current.leave('Save');
  const { note, reference } = await store.orders.get(1);
  expect([note, reference]).toEqual(['Fetched by her son.', undefined]);
  await expectFocus(current, 'Open order 1');
  await current.openAndFill('Open order 1', { Note: 'Fetched by her friend.' });
  await current.press('Open Rex', 'Keep editing');
  expect(await dialog(current).getByLabel('Note').inputValue()).toBe('Fetched by her friend.');
  await current.press('Open Rex', 'Discard');
  await dialog(current).getByRole('heading', { name: 'Rex' }).waitFor();
  await page.keyboard.press('Escape');
  await current.clickAndPress('Open order 1', 'Take back: Order 1');
  await page.keyboard.type('It bites.');
  await button(dialog(current), 'Take back').click();
  await page.getByText('Order 1 is returned.').first().waitFor();
  await dialog(current).getByText('Returned', { exact: true }).waitFor();
  expect(await store.orders.get(1)).toMatchObject({
    status: 'returned',
    note: 'Fetched by her son.\nIt bites.',
  });
  expect(await store.pets.get(1)).toMatchObject({ status: 'available' });
  expect(await dialog(current).getByLabel('Note').inputValue()).toBe(
    'Fetched by her son.\nIt bites.',
  );
  await button(dialog(current), 'Open Rex').click();
  await dialog(current).getByRole('radio', { name: 'Available', checked: true }).waitFor();
});

test('a reason that is typed stays although a colleague has taken the animal back', async () => {
  const { page, store } = current;
  await sellRex();
  await button(page, 'Take back: Order 1').click();
  await page.keyboard.type('It bites.');
  await store.orders.return(1);
  await page.getByText('No order matches').waitFor();
  const reason = dialog(current).getByLabel('Reason');
  expect(await reason.inputValue()).toBe('It bites.');
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Discard').click();
  await store.orders.place({ petId: 1, status: 'delivered' });
  await open(current, 'Animals');
  await current.clickAndPress('Open Rex', 'Take back');
  await reason.fill('It bites.');
  await store.orders.return(2);
  await store.pets.update(1, { name: 'Max' });
  await page.getByText('Take Max back?').waitFor();
  expect(await reason.inputValue()).toBe('It bites.');
});

test('an order without the scope to change it is read only, and printed without anything to press, with a long reference and a long name as a whole', async () => {
  const { page, store } = current;
  const [name, reference] = ['Rex '.repeat(60).trim(), 'Ada '.repeat(25).trim()];
  await store.pets.create({ name, categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 1, reference });
  const key = await issueKey(current, ['pets:read', 'orders:read']);
  await signIn({ ...current, start: '/#/orders' }, key);
  await button(page, 'Open order 1').click();
  await dialog(current).getByLabel('Note').waitFor();
  expect(await dialog(current).getByLabel('Note').getAttribute('readonly')).toBe('');
  for (const name of ['Save', 'Approve: Order 1']) expect(await button(page, name).count()).toBe(0);
  await page.setViewportSize({ width: 500, height: 900 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const seen = await page.evaluate(
    `[...document.querySelectorAll('button:not(.facts *), nav, .list')].filter((one) => one.checkVisibility()).length`,
  );
  expect(seen).toBe(0);
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('dialog')).backgroundColor"),
  ).toBe('rgb(255, 255, 255)');
  for (const text of ['Order 1', 'Placed']) await dialog(current).getByText(text).first().waitFor();
  await dialog(current).locator('p', { hasText: reference }).waitFor();
  await dialog(current).locator('.facts .name-text').waitFor();
  const isCut = await page.evaluate(
    "(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector('.facts .name-text'))",
  );
  expect(isCut).toBe(false);
});
