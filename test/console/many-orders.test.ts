/** More open orders than the console loads. */

import { expect, test } from 'bun:test';
import { BY_TEST } from '../support/cause.ts';
import { button, open, signIn, useConsole } from './console-page.ts';

const MAX_OPEN = 1000;

const current = useConsole();

/** Adds animals, each with an open order. */
const placeOrders = (count: number) =>
  current.database.write(BY_TEST, ({ pets, orders }) => {
    const createdAt = new Date().toISOString();
    for (let added = 0; added < count; added += 1) {
      const pet = pets.create({ name: 'Rex', categoryId: 1, status: 'pending' });
      orders.create({ petId: (pet as { id: number }).id, status: 'approved', createdAt });
    }
  });

test('a thousand open orders are all shown, and of more the newest, and the console says so', async () => {
  const { page } = current;
  await placeOrders(MAX_OPEN);
  await signIn(current);
  await open(current, 'Orders');
  await page.getByRole('cell', { name: String(MAX_OPEN), exact: true }).waitFor();
  const notice = page.getByText('More than 1,000 orders are open.');
  expect(await notice.count()).toBe(0);
  await placeOrders(1);
  await page.reload();
  await notice.waitFor();
  await page
    .getByRole('cell', { name: String(MAX_OPEN + 1), exact: true })
    .first()
    .waitFor();
  await button(page, 'Next page').waitFor();
});
