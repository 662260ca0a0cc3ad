/** Requests that take long: the page says why and how long, and the user can leave them. */
import { expect, test } from 'bun:test';
import type { Route } from 'playwright-core';
import { enterAt, failed, holdRequests, installClock, open, useConsole } from './console-page.ts';
import { button, dialog, eventually } from './places.ts';

const current = useConsole();

/** The service refuses all changes for 50 seconds. */
const limit = (route: Route) =>
  route.request().method() === 'GET'
    ? route.fallback()
    : route.fulfill({
        status: 429,
        headers: { 'Retry-After': '50' },
        json: { code: 'rate_limited', message: 'Too many requests.', status: 429 },
      });

test('a wait says why and until when, can be left, and otherwise ends with the change made; without a response, a notice says that it may be made; that of a download ends with the download', async () => {
  const { page, context, store, requests, expected } = await installClock(current);
  expected.push(failed(429), /ERR_/);
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await enterAt(current, 'Open Rex', { Name: 'Max' });
  await context.route('**/v1/pets/1', limit);
  await button(dialog(current), 'Save').click();
  await page.clock.fastForward(2000);
  const notice = dialog(current).getByText(
    /^Too many requests\. This page tries again at \d+:\d+:\d+/,
  );
  await notice.waitFor();
  await dialog(current)
    .getByText(/^4[0-8] sec$/)
    .waitFor();
  // One place says it.
  await button(page, 'Stop waiting').click();
  await dialog(current).getByText('That did not work').waitFor();
  await notice.waitFor({ state: 'detached' });
  expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Max');
  await button(dialog(current), 'Save').click();
  await page.clock.fastForward(2000);
  await notice.waitFor();
  await context.unroute('**/v1/pets/1');
  await page.clock.fastForward(50_000);
  await page.getByText('Max was saved.').waitFor();
  expect(await store.pets.get(1)).toMatchObject({ name: 'Max' });
  await current.openAndFill('Open Max', { Name: 'Moritz' });
  const changes = () => requests.filter((request) => request.method() === 'PATCH').length;
  const before = changes();
  const release = await holdRequests(current, '**/v1/pets/1');
  await button(dialog(current), 'Save').click();
  await button(dialog(current), 'Saving…').waitFor();
  expect(await button(page, 'Stop waiting').count()).toBe(0);
  await page.clock.fastForward(5000);
  await dialog(current)
    .getByText(/^The service has not responded yet\. This page waits until \d+:\d+:\d+/)
    .waitFor();
  await current.pressUntilInside('Stop waiting', 'the change may be made');
  release();
  await page.clock.fastForward(5000);
  expect(changes()).toBe(before + 1);
  await page.keyboard.press('Escape');
  await current.leave('Discard');
  // A wait outside dialogs is shown on the screen.
  await store.orders.place({ petId: 1 });
  await open(current, 'Orders');
  const onScreen = page.getByText(/^Too many requests\. This page tries again at/);
  await context.route('**/v1/store/orders/1', limit);
  await button(page, 'Approve: Order 1').click();
  await page.clock.fastForward(2000);
  await onScreen.waitFor();
  await current.clickUntil('Stop waiting', 'That did not work');
  await onScreen.waitFor({ state: 'detached' });
  expect((await store.orders.get(1)).status).toBe('placed');
  await context.route('**/v1/store/orders?*', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '50' },
      json: { code: 'rate_limited', message: 'Too many requests.', status: 429 },
    }),
  );
  await button(page, 'Download').click();
  await eventually(async () => {
    await page.clock.fastForward(1000);
    await onScreen.waitFor({ timeout: 500 });
  });
  await button(page, 'Cancel the download').click();
  await onScreen.waitFor({ state: 'detached', timeout: 5000 });
});
