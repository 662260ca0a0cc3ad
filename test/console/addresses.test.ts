/** Addresses that a person has typed, or that another version has made. */
import { expect, test } from 'bun:test';
import { button, signIn, useConsole } from './console-page.ts';

const current = useConsole();

test('an invalid filter is reported beside the filter', async () => {
  const { page, store, requests } = current;
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await signIn(current);
  await button(page, 'Open Rex').waitFor();
  const faults = (link: string) =>
    page.goto(link).then(async () => {
      await page.getByText('A filter is not valid').waitFor();
      return page.getByRole('alert').allInnerTexts();
    });
  const number = expect.stringContaining('Enter a whole number');
  expect(await faults('/#/animals?id=abc')).toEqual([number]);
  expect(await page.getByLabel('Id', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  const sent = requests.length;
  expect(await faults('/#/animals?category=1e3&status=lost')).toEqual([
    'This status does not exist. Choose one of these.',
    number,
  ]);
  expect(await faults('/#/orders?status=lost&animal=9223372036854775808')).toEqual([
    'This status does not exist. Choose one of these.',
    number,
  ]);
  expect(requests.slice(sent).filter((request) => request.url().includes('lost'))).toEqual([]);
  await page.goto('/#/animals?id=1e3&status=lost');
  await page.getByRole('radio', { name: /^Available/ }).check();
  await page.getByLabel('Id', { exact: true }).fill('1');
  await button(page, 'Search').click();
  await button(page, 'Open Rex').waitFor();
});
