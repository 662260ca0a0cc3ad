/** Finding orders: by number or reference, by day, by status. Counts the clicks and keys. */
import { expect, test } from 'bun:test';
import type { Order } from '../../src/orders/order.ts';
import { BY_TEST } from '../support/cause.ts';
import { type Console, enter, open, useConsole } from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, expectRows, expectTexts, goToResults, row } from './places.ts';

/** A quarter of an hour after midnight in Auckland, which is the day before in UTC. */
const NOW = new Date('2027-01-20T00:15:00+13:00');

const current = useConsole({ context: { timezoneId: 'Pacific/Auckland' } });

/** Orders at these times of Auckland, with the ids from 1. A third member is the time of the delivery. */
const ORDERS: readonly (readonly [string, Order['status'], string?])[] = [
  ['2027-01-10T12:00:00+13:00', 'delivered', '2027-01-11T12:00:00+13:00'],
  ['2027-01-18T23:59:59+13:00', 'approved'],
  ['2027-01-19T00:00:00+13:00', 'delivered'],
  ['2027-01-19T23:59:59+13:00', 'cancelled'],
  ['2027-01-20T00:00:00+13:00', 'approved'],
  ['2027-01-20T00:10:00+13:00', 'approved'],
];

/** Orders of some days, of which that with the number 3 is for Ada. */
async function openCounter({ database, page }: Console): Promise<void> {
  await database.write(BY_TEST, ({ pets, orders }) => {
    for (const [index, [at, status, delivered = at]] of ORDERS.entries()) {
      const pet = pets.create({ name: `Animal ${index + 1}`, categoryId: 1, status: 'pending' });
      const reference = index === 2 ? { reference: 'Ada' } : {};
      const createdAt = new Date(at).toISOString();
      const deliveredAt =
        status === 'delivered' ? { deliveredAt: new Date(delivered).toISOString() } : {};
      const petId = (pet as { id: number }).id;
      orders.create({ petId, status, createdAt, ...deliveredAt, ...reference });
    }
  });
  // The page takes the time from the service.
  await page.addInitScript(`{
    const send = fetch;
    fetch = async (...request) => {
      const response = await send(...request);
      const headers = new Headers(response.headers);
      headers.set('Date', '${NOW.toUTCString()}');
      return Object.defineProperty(response, 'headers', { value: headers });
    };
  }`);
  await enter(current, 'Orders');
  await button(page, 'Open order 6').waitFor();
}

/** Waits until the list has these orders, from the top. */
const expectOrders = (ids: readonly number[]) =>
  expectRows(
    current,
    ids.map((id) => new RegExp(`^${id}\\s`)),
  );

test('orders are found by one click or by days of the browser, by the name of a person, by number in any status, and by several statuses', async () => {
  const { page, store, requests } = current;
  await openCounter(current);
  await expectOrders([6, 5, 2]);
  await page.getByRole('radio', { name: 'Yesterday' }).click();
  await expectOrders([4, 3]);
  await page.getByRole('radio', { name: 'Handed over' }).click();
  await expectOrders([3]);
  await page.getByRole('radio', { name: 'Any day' }).click();
  await page.getByRole('radio', { name: 'Today' }).click();
  await expectOrders([6, 5]);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download').click(),
  ]);
  expect(saved.suggestedFilename()).toBe('orders-2027-01-20.csv');
  await page.getByRole('radio', { name: 'Other days' }).click();
  await expectOrders([6, 5, 4, 3, 2]);
  // Chromium counts this as scrolling to the side only if it is beside the window, too.
  const beside =
    "document.querySelector('.list').scrollWidth - document.querySelector('.card').clientWidth";
  expect(await page.evaluate(beside)).toBeLessThanOrEqual(0);
  await page.getByLabel('From', { exact: true }).fill('2027-01-01');
  await page.getByLabel('To', { exact: true }).fill('2027-01-18');
  await expectOrders([2, 1]);
  await page.getByLabel('From', { exact: true }).focus();
  await page.keyboard.type('01102027');
  await expectOrders([2, 1]);
  await page.waitForURL(/from=2027-01-10&/);
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.type')).not.toBe('search');
  await page.getByRole('heading', { name: 'Orders' }).click();
  const sent = requests.length;
  const effort = await countEffort(page);
  await page.keyboard.press('/');
  await page.keyboard.insertText('Ada');
  await expectOrders([3]);
  await goToResults(current);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Order 3' }).waitFor();
  expect(await effort()).toMatchObject({ clicks: 0, keys: 3 });
  expect(requests.length - sent).toBeLessThan(10);
  await current.leave();
  await open(current, 'Orders');
  await expectOrders([6, 5, 2]);
  await store.orders.update(2, { reference: '4' });
  await page.getByLabel('Search').fill('4');
  await expectOrders([4, 2]);
  await page.getByRole('checkbox', { name: 'Cancelled' }).check();
  await expectOrders([4]);
  await page.getByLabel('Search').fill('order 3');
  await expectOrders([3]);
  // The filter is chosen before the address has the text.
  await page.getByLabel('Search').fill('4');
  await page.getByRole('checkbox', { name: 'Approved' }).check();
  await expectOrders([2]);
  await page.getByLabel('Search').fill('9223372036854775808');
  await page.getByText('No order matches').waitFor();
  await page.getByText('Enter the whole number, or a part of the reference or the note.').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expectOrders([6, 5, 2]);
  await page.getByRole('checkbox', { name: 'Cancelled' }).check();
  await expectOrders([6, 5, 4, 2]);
  for (const name of ['Placed', 'Approved', 'Cancelled'])
    await page.getByRole('checkbox', { name }).uncheck();
  await expectOrders([6, 5, 4, 3, 2, 1]);
  const [late, midnight] = [/^12:10\sAM$/, /^12:00\sAM$/].map(expect.stringMatching);
  await expectTexts(page.locator('time'), [late, midnight, 'Jan 19', 'Jan 19', 'Jan 18', 'Jan 10']);
  // The other filters also apply to the number of an order. Each list without it comes after one that has orders.
  const expectNone = async (filters: string) => {
    await page.goto(`/#/orders?${filters}`);
    await page.getByText('No order matches').waitFor();
  };
  await expectNone('find=3&animal=4');
  await page.goto('/#/orders?find=3&from=2027-01-19&animal=3');
  await expectOrders([3]);
  await expectNone('find=2&by=delivered&from=2027-01-01');
  await page.goto('/#/orders?find=1&by=delivered&from=2027-01-11');
  await expectOrders([1]);
  await expectNone('find=3&to=2027-01-18');
  await page.goto('/#/orders?status=all&animal=3');
  await expectOrders([3]);
  await page.getByText('Only orders of animal 3.').waitFor();
  await page.getByRole('link', { name: 'Show the orders of all animals' }).click();
  await expectOrders([6, 5, 4, 3, 2, 1]);
  await expectNone('find=3&day=today');
  await page.goto('/#/orders?from=2027-02-30');
  await page.getByText('Enter a day.').waitFor();
  expect(await row(current, 0).count()).toBe(0);
});
