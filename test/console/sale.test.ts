/** A sale over the counter, and a reservation for a person: what it takes, and what is kept. */
import { describe, expect, test } from 'bun:test';
import {
  addRex,
  type Console,
  enterAt,
  failed,
  holdRequests,
  installClock,
  openNewRex,
  openRex,
  overtakeNext,
  signIn,
  signInTo,
  useConsole,
} from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, dialog, row } from './places.ts';

const current = useConsole();

/** The requests that change something. */
const changes = ({ requests }: Console): string[] =>
  requests
    .filter((request) => request.method() !== 'GET')
    .map(
      (request) => `${request.method()} ${new URL(request.url()).pathname} ${request.postData()}`,
    );

describe('a sale over the counter', () => {
  test('takes two clicks and one request, and one click undoes it; it is one sale, however fast a person clicks, and none is undone after signing out', async () => {
    const { page, store, requests } = current;
    await addRex(current);
    await signIn(current);
    const effort = await countEffort(page);
    await row(current, 0).getByRole('cell', { name: 'Available' }).click();
    await current.pressUntil('Sell', 'Rex is sold.');
    await dialog(current).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Sold' }).waitFor();
    expect(await effort()).toEqual({ clicks: 2, keys: 0, characters: 0 });
    const sale = 'POST /v1/store/orders {"petId":1,"status":"delivered"}';
    expect(changes(current)).toEqual([sale]);
    await current.clickUntil('Undo', 'The sale of Rex is undone.');
    await page.getByRole('cell', { name: 'Available' }).waitFor();
    expect(changes(current)).toEqual([sale, 'PATCH /v1/store/orders/1 {"status":"returned"}']);
    expect(await effort()).toEqual({ clicks: 3, keys: 0, characters: 0 });
    expect(await store.orders.get(1)).toMatchObject({ status: 'returned' });
    expect((await store.pets.get(1)).status).toBe('available');
    await openRex(current);
    // Both clicks come before React has rendered the first one.
    await page.evaluate(`(() => {
      const buttons = [...document.querySelectorAll('dialog[open] button')];
      const sell = buttons.find(({ textContent }) => textContent === 'Sell');
      sell.click();
      sell.click();
    })()`);
    await page.getByText('Rex is sold.').waitFor();
    const keys = requests
      .filter((request) => request.method() === 'POST')
      .map((request) => request.headers()['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
    expect(await store.orders.get(2)).toMatchObject({ petId: 1, status: 'delivered' });
    await button(page, 'Undo').waitFor();
    await button(page, 'Sign out').click();
    await button(page, 'Sign in').waitFor();
    expect(await button(page, 'Undo').count()).toBe(0);
  });

  test('can be undone for ten seconds, and for longer while the pointer or the focus is there', async () => {
    const { page, store } = await installClock(current);
    await store.pets.create({ name: 'Mimi', categoryId: 1, status: 'available' });
    await enterAt(current, 'Add an animal', { Name: 'Rex', Category: '1' });
    await button(dialog(current), 'Save and add another').click();
    // A message below the pointer goes although its dialog was closed.
    await dialog(current).getByText('Rex was added.').hover();
    await current.leave();
    await page.clock.runFor(20_000);
    await page.getByText('Rex was added.').waitFor({ state: 'detached' });
    await openRex(current);
    await button(dialog(current), 'Sell').click();
    await button(page, 'Undo').focus();
    await button(page, 'Open Rex').focus();
    await page.clock.pauseAt(Date.now() + 60_000);
    await button(page, 'Undo').waitFor({ state: 'detached' });
    await page.clock.resume();
    await openRex(current, 'Mimi');
    await button(dialog(current), 'Sell').click();
    await button(page, 'Undo').focus();
    await page.clock.fastForward(60_000);
    await button(page, 'Undo').press('Enter');
    await page.locator('main:focus').waitFor();
    await page.getByText('The sale of Mimi is undone.').waitFor();
  });

  test('is the only way to sold, does not lose the edits of the dialog, and is not taken back by what was known of an earlier one', async () => {
    const { store } = current;
    await openNewRex(current);
    const statuses = dialog(current).getByRole('radio');
    expect(
      await statuses.evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual(['available', 'pending', '']);
    expect(await button(dialog(current), 'Take back').count()).toBe(0);
    const release = await holdRequests(current, '**/v1/store/orders');
    await button(dialog(current), 'Sell').click();
    await dialog(current).getByLabel('Name').fill('Max');
    release();
    await button(dialog(current), 'Take back').waitFor();
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Max');
    await button(dialog(current), 'Undo').click();
    await button(dialog(current), 'Sell').waitFor();
    expect((await store.pets.get(1)).status).toBe('available');
    await store.pets.update(1, { status: 'sold' });
    await current.pressUntilInside('Take back', 'No delivered order of this animal exists.');
    await button(dialog(current), 'Take back').click();
    await current.pressUntil('Sell', 'Rex is sold.');
    const found = await holdRequests(current, '**/v1/store/orders?*status=delivered*');
    await button(dialog(current), 'Take back').click();
    await dialog(current).getByRole('heading', { name: 'Take Rex back?' }).waitFor();
    expect(await button(dialog(current), 'Take back').count()).toBe(0);
    found();
    await current.pressUntil('Take back', 'Rex is available again.');
    expect(await store.orders.get(2)).toMatchObject({ status: 'returned' });
  });
});

test('a reservation has the name of a person and a note, and is shown although the orders were requested before; one that is refused says why although its button is gone', async () => {
  const { page, context, store, expected } = current;
  expected.push(failed(409));
  await addRex(current);
  await signIn(current);
  const { promise: isReserved, resolve: reserved } = Promise.withResolvers<void>();
  await context.route(
    '**/v1/store/orders?*',
    async (route) => {
      const response = await route.fetch();
      await isReserved;
      await route.fulfill({ response }).catch(() => {});
    },
    { times: 1 },
  );
  await current.clickAndPress('Open Rex', 'Reserve');
  await page.keyboard.type('Ada');
  await dialog(current).getByLabel('Note').fill('Comes on Monday.\nPays in cash.');
  await current.pressUntil('Reserve', 'Rex is reserved.');
  await dialog(current).getByRole('radio', { name: 'Pending', checked: true }).waitFor();
  reserved();
  await dialog(current).getByText('for Ada').waitFor();
  await button(dialog(current), 'Approve: Order 1').waitFor();
  await dialog(current).getByText('An open order holds this animal.').waitFor();
  expect(await dialog(current).getByText('Earlier orders').count()).toBe(0);
  await dialog(current).getByRole('paragraph').filter({ hasText: 'Pays in cash.' }).waitFor();
  expect(await store.orders.get(1)).toMatchObject({
    status: 'placed',
    reference: 'Ada',
    note: 'Comes on Monday.\nPays in cash.',
  });
  // The edits of the reservation were none of the animal.
  await current.leave();
  await store.orders.cancel(1);
  await openRex(current);
  await button(dialog(current), 'Reserve').click();
  await store.orders.place({ petId: 1 });
  // The animal is known to be held before its order is.
  await context.route('**/v1/store/orders?*', () => {});
  await button(dialog(current), 'Reserve').click();
  const animal = page.getByRole('dialog', { includeHidden: true }).first();
  await animal
    .getByRole('radio', { name: 'Pending', checked: true, includeHidden: true })
    .waitFor();
  await dialog(current).getByText('Request id:').waitFor();
  expect(await dialog(current).getByLabel('Reference').isVisible()).toBe(true);
});

test('a sale that fails says so where the user looks, until the service is back; one that is refused or not undone says why', async () => {
  const { page, context, store, expected } = current;
  expected.push(/ERR_/, failed(409));
  await page.setViewportSize({ width: 1280, height: 500 });
  await openNewRex(current);
  for (const text of ['Added as Rex', 'No orders yet'])
    await dialog(current).getByText(text).waitFor();
  await context.route('**/v1/**', (route) => route.abort());
  await button(dialog(current), 'Sell').click();
  const sale = dialog(current).getByRole('region', { name: 'Sale' }).getByRole('alert');
  await sale.getByText('The service cannot be reached.').waitFor();
  await dialog(current).getByRole('button', { name: 'Try again' }).first().waitFor();
  const box = await sale.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(500);
  await context.unroute('**/v1/**');
  await dialog(current).getByRole('button', { name: 'Try again' }).first().click();
  await sale.waitFor({ state: 'detached' });
  await overtakeNext(current, '/store/orders', () => store.orders.place({ petId: 1 }));
  await current.pressUntilInside('Sell', 'its status is pending');
  await button(dialog(current), 'Approve: Order 1').click();
  await sale.waitFor({ state: 'detached' });
  await store.orders.cancel(1);
  await current.pressUntil('Sell', 'Rex is sold.');
  await page.route('**/v1/store/orders/2', (route) => route.abort());
  await current.clickUntil('Undo', 'The sale was not undone. The service cannot be reached.');
});

test('a scanner types a number and Enter, which opens the animal, and a second Enter sells it, but neither changes nor sells the animal of an open dialog by the number of another one; a text that means several goes to the first of them', async () => {
  const { page, store } = current;
  const names = Array.from({ length: 12 }, (_, at) => `Rex ${12 - at}`);
  await store.pets.createMany(
    names.map((name) => ({ name, categoryId: 1, status: 'available' as const })),
  );
  await store.orders.place({ petId: 1 });
  await signInTo(current, 'Open Rex 1');
  await page.keyboard.press('/');
  await page.keyboard.type('12\n');
  await dialog(current).getByText('Id 12').waitFor();
  await dialog(current).locator('button:focus', { hasText: 'Sell' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Rex 1 is sold.').waitFor();
  expect((await store.pets.get(12)).status).toBe('sold');
  await page.keyboard.type('1\n');
  await button(dialog(current), 'Hand over: Order 1').waitFor();
  await dialog(current).locator(':focus').waitFor();
  await page.keyboard.type('2\n');
  await dialog(current).waitFor({ state: 'detached' });
  expect(await store.pets.get(1)).toMatchObject({ name: 'Rex 12', status: 'pending' });
  expect(await store.orders.get(1)).toMatchObject({ status: 'placed' });
  await page.keyboard.type('2\n');
  await dialog(current).locator('button:focus', { hasText: 'Sell' }).waitFor();
  await page.keyboard.type('1\n');
  await button(dialog(current), 'Sell').click({ trial: true });
  expect(changes(current)).toHaveLength(1);
  await current.pressUntil('Sell', 'Rex 11 is sold.');
  await page.getByLabel('Search').fill('rex');
  await page.keyboard.press('Enter');
  await page.locator('button:focus', { hasText: 'Rex' }).waitFor();
  expect(await dialog(current).count()).toBe(0);
  await page.getByLabel('Search').fill('rex 10');
  await page.keyboard.press('Enter');
  await dialog(current).getByLabel('Name').waitFor();
  await current.leave();
  // It replaces a number that was not found.
  await page.keyboard.type('99\n');
  await page.getByText("No animal's name contains").waitFor();
  await page.keyboard.type('4\n');
  await dialog(current).getByRole('heading', { name: 'Rex 9' }).waitFor();
});
