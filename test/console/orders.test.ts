import { describe, expect, test } from 'bun:test';
import { expireOrders } from '../../src/server/background-jobs.ts';
import {
  addAnimals,
  enter,
  enterAt,
  failed,
  holdRequests,
  installClock,
  open,
  overtakeNext,
  reserve,
  reserveRex,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectFocus, expectRows, row } from './places.ts';

const current = useConsole();

describe('orders', () => {
  test('that are open come first, the newest at the top, with the names of their animals, together with which another page appears; show where the user looks that a step is refused, and leave the list if a colleague has cancelled them', async () => {
    const { page, store, requests, expected } = current;
    await addAnimals(current, 23);
    for (let petId = 1; petId <= 23; petId += 1)
      await store.orders.place({ petId, reference: '1' });
    await store.orders.approve(22);
    await store.orders.cancel(23);
    await store.pets.delete(23);
    await enter(current, 'Orders');
    const others = Array(18).fill('Placed');
    await expectRows(current, [/^22\s+Animal 22\s+1\s+Approved/, /^21\s+Animal 21\s/, ...others]);
    expect(requests.filter((request) => request.url().includes('/pets?id='))).toHaveLength(1);
    const seen = await holdRequests(current, '**/v1/pets?*');
    const asked = page.waitForRequest((request) => request.url().includes('/pets?'));
    await button(page, 'Next page').click();
    await asked;
    // Otherwise rows would grow.
    await expectRows(current, 20);
    seen();
    await page.getByText('Page 2: 2 entries').waitFor({ state: 'attached' });
    await expectRows(current, [/^2\s+Animal 2\s/, /^1\s+Animal 1\s/]);
    await page.goto('/#/orders?status=cancelled');
    await page.getByRole('cell', { name: '23 (Deleted)' }).waitFor();
    // The order with the number that is searched for is first on the first page only.
    await page.goto('/#/orders?find=1');
    await row(current, 0).getByText('Animal 1', { exact: true }).waitFor();
    await button(page, 'Next page').click();
    await expectRows(current, [/^3\s/, /^2\s/, /^1\s/]);
    // Names that cannot be loaded do not hide the orders.
    expected.push(failed(404), failed(409));
    await page.route('**/v1/pets?*', (route) => route.fulfill({ status: 404 }));
    await page.goto('/#/orders?status=approved');
    await expectRows(current, [/^22\s+22\s+1\s+Approved/]);
    await page.unroute('**/v1/pets?*');
    // Those that fill exactly one page have no next page.
    for (const id of [21, 22]) await store.orders.cancel(id);
    await page.goto('/#/orders');
    await row(current, 0).getByText('Animal 20', { exact: true }).waitFor();
    await expectRows(current, 20);
    await button(page, 'Next page').waitFor({ state: 'detached' });
    await button(page, 'Approve: Order 1').scrollIntoViewIfNeeded();
    const release = await holdRequests(current, '**/v1/store/orders?*');
    const isReadAgain = page.waitForRequest('**/v1/store/orders?*');
    await overtakeNext(current, '/store/orders/1', async () => {
      await store.orders.cancel(1);
      await isReadAgain;
    });
    await button(page, 'Approve: Order 1').click();
    await page.getByRole('alert').filter({ hasText: 'That did not work' }).waitFor();
    release();
    await expectRows(current, 19);
    expect((await page.getByRole('alert').boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await overtakeNext(current, '/store/orders/2', () => store.orders.cancel(2));
    const listed = () => requests.filter((request) => request.url().includes('/store/orders?'));
    const before = listed().length;
    await button(page, 'Approve: Order 2').click();
    await expectRows(current, 18);
    expect(listed().length).toBeGreaterThan(before);
  });

  test('are approved, delivered and cancelled, but not by mistake, keep the focus in their list, and show how long they hold their animal', async () => {
    const { page, store } = current;
    for (const name of ['Rex', 'Mia', 'Tom']) {
      await store.pets.create({ name, categoryId: 1, status: 'available' });
    }
    for (const petId of [1, 2]) await store.orders.place({ petId });
    await enter(current, 'Orders');
    await page.getByText('30 min left').first().waitFor();
    await button(page, 'Cancel order: Order 1').press('Enter');
    await expectFocus(current, 'Go back');
    await page.keyboard.press('Enter');
    await dialog(current).waitFor({ state: 'detached' });
    await expectFocus(current, 'Cancel order: Order 1');
    await button(page, 'Approve: Order 1').press('Enter');
    await page.getByText('Order 1 is approved.').waitFor();
    await button(page, 'Approve: Order 1').waitFor({ state: 'detached' });
    await page.locator('[role=group].card[aria-label=Orders]:focus-within').waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
    await button(page, 'Cancel order: Order 1').press('Enter');
    await current.leave();
    expect((await store.orders.get(1)).status).toBe('approved');
    await current.clickUntil('Hand over: Order 1', 'Order 1 is handed over.');
    await button(page, 'Cancel order: Order 2').click();
    await current.pressUntil('Cancel order', 'Order 2 is cancelled.');
    await button(page, 'Cancel order: Order 2').waitFor({ state: 'detached' });
    await page.getByText('No open orders').waitFor();
    await page.getByRole('link', { name: 'Show all orders' }).click();
    await expectRows(current, ['Cancelled', 'Handed over']);
    const statuses = [];
    for await (const { status } of store.pets.list()) statuses.push(status);
    expect(statuses).toEqual(['sold', 'available', 'available']);
    await page.getByRole('checkbox', { name: 'Cancelled' }).check();
    await expectRows(current, ['Cancelled']);
  });
});

/** The service expires what is due in 31 minutes, and the clock of the page is then. */
async function expire(): Promise<void> {
  const clock = { now: () => Date.now() + 31 * 60 * 1000 };
  await expireOrders({ database: current.database, clock, observe: () => {} });
  await current.page.clock.fastForward('31:00');
}

test('the time that is left of a hold is right although the clock of the browser is wrong, and ends where the order is shown', async () => {
  const { page } = await installClock(current, Date.now() + 5 * 60 * 60 * 1000);
  // The header Date is in seconds, and a response may contain that of the second before.
  const timeLeft = /(30|31) min left/;
  await reserveRex(current);
  await enterAt(current, 'Open Rex');
  await dialog(current).getByText(timeLeft).waitFor();
  await expire();
  await button(dialog(current), 'Reserve').waitFor();
  expect(await button(dialog(current), 'Approve: Order 1').count()).toBe(0);
  await dialog(current).getByRole('radio', { name: 'Available', checked: true }).waitFor();
  await reserve(current);
  await button(dialog(current), 'Approve: Order 2').waitFor();
  await current.leave();
  // An address that is set at once would be left again: closing the dialog goes back in the history.
  await open(current, 'Orders');
  await page.goto('/#/orders?status=all');
  // No read that the reservation caused is on its way.
  await page.reload();
  await page.getByText(timeLeft).waitFor();
  const seen = await holdRequests(current, '**/v1/store/orders?*');
  await expire();
  await page.getByText('Expires now').waitFor();
  // Nobody waits for a read.
  await page.clock.runFor(6000);
  expect(await button(page, 'Stop waiting').count()).toBe(0);
  seen();
  await expectRows(current, ['Expired', 'Expired']);
  expect(await button(page, 'Approve: Order 2').count()).toBe(0);
});
