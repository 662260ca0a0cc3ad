import { describe, expect, test } from 'bun:test';
import { AnimalStore, isApiError } from '../../sdk/src/index.ts';
import { BY_TEST } from '../support/cause.ts';
import {
  type Console,
  enter,
  failed,
  installClock,
  issueKey,
  open,
  signIn,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectTexts } from './places.ts';

const current = useConsole({
  context: { permissions: ['clipboard-read', 'clipboard-write'], timezoneId: 'America/New_York' },
});

const secretIn = async (current: Console) =>
  (await dialog(current).locator('output').first().textContent()) ?? '';

const storeOf = ({ service }: Console, apiKey: string) =>
  new AnimalStore({ apiKey, baseUrl: `${service.origin}/v1` });

describe('the API keys', () => {
  test('are created with a secret that is shown once, and an end in the time zone of the browser, rotated and revoked', async () => {
    const { page, store } = current;
    await enter(current, 'API keys', 'Create an API key');
    const admin = page.getByRole('region', { name: 'Admin' }).locator('p, a');
    await expectTexts(admin, ['Admin', 'API keys', 'Usage', 'Webhooks']);
    await current.pressUntilInside('Create an API key', 'Enter a name.');
    await current.fill({ Name: 'web shop' });
    for (const day of ['2020-01-01', '12027-01-01']) {
      await current.fill({ Expires: day });
      const fault = 'Choose a day from today to the year 9999.';
      await current.pressUntilInside('Create an API key', fault);
    }
    await dialog(current).getByLabel('Expires').fill('');
    await page.keyboard.type('06');
    await current.press('Create an API key');
    await current.fill({ Expires: '2099-06-30' });
    const checked = dialog(current).getByRole('checkbox', { checked: true });
    await expectTexts(checked.locator('xpath=..'), ['read animals and categories']);
    await dialog(current).getByRole('radio', { name: 'Counter staff' }).check();
    expect(await checked.count()).toBe(5);
    await dialog(current).getByRole('radio', { name: 'Web shop' }).check();
    await dialog(current)
      .getByRole('checkbox', { name: 'read orders and the inventory' })
      .uncheck();
    await dialog(current).getByRole('radio', { checked: true }).waitFor({ state: 'detached' });
    await current.pressUntilInside('Create an API key', 'It is shown only once.');
    const secret = await secretIn(current);
    // Until it is copied, the dialog asks before it is closed.
    await current.press('Copy', 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    const { name, scopes, expiresAt } = await storeOf(current, secret).apiKeys.current();
    expect({ name, scopes, expiresAt }).toEqual({
      name: 'web shop',
      scopes: ['pets:read', 'orders:write'],
      expiresAt: '2099-07-01T03:59:59.000Z',
    });
    await button(dialog(current), 'Done').click();
    await page.getByText(secret).waitFor({ state: 'detached' });

    await button(page, 'Rotate: web shop').click();
    await dialog(current).getByRole('radio', { name: 'not at all' }).check();
    await current.pressUntilInside('Rotate', 'It is shown only once.');
    const successor = await secretIn(current);
    await current.press('Copy', 'Copied');
    await current.pressUntil('Done', 'Expired');
    expect((await storeOf(current, successor).apiKeys.current()).name).toBe('web shop');

    await current.clickAndPress('Revoke: web shop', 'Revoke');
    await page.getByText('Revoked', { exact: true }).waitFor();
    for (const key of [secret, successor]) {
      const refusal = await storeOf(current, key)
        .apiKeys.current()
        .catch((error) => error);
      expect(isApiError(refusal, 'credential_invalid')).toBe(true);
    }
    expect((await store.apiKeys.list().pages().next()).value?.data).toHaveLength(3);
  });

  test('say who uses them, with their scopes behind that, and are rotated once, by another attempt if the response was lost, and that of the user, with which the page goes on', async () => {
    const { page, context, store, expected } = current;
    expected.push(/ERR_FAILED/);
    const { id } = await store.apiKeys.create({ name: 'web shop', scopes: ['pets:read'] });
    await store.apiKeys.rotate(id, { gracePeriodSeconds: 3600 });
    // No rotation leaves a key so long.
    for (const expiresAt of ['2031-01-01T00:00:00Z', '2032-01-01T00:00:00Z'])
      await store.apiKeys.create({ name: 'web shop', scopes: ['pets:write'], expiresAt });
    await store.apiKeys.create({
      name: 'screen',
      scopes: ['events:read', 'pets:read', 'orders:read'],
    });
    await store.apiKeys.create({ name: 'feeder', scopes: ['pets:read'] });
    await enter(current, 'API keys');
    await page.getByRole('row', { name: 'feeder' }).getByText('pets:read').waitFor();
    const display = page.getByRole('row', { name: 'screen' });
    expect(await display.getByText('orders:read').isVisible()).toBe(false);
    await display.getByText('Read only').click();
    await display.getByText('orders:read').waitFor();
    const rows = page.getByRole('row').filter({ hasText: 'web shop' });
    await rows.nth(3).waitFor();
    const offered = (index: number) => button(rows.nth(index), 'Rotate: web shop').count();
    expect(await Promise.all([0, 1, 2, 3].map(offered))).toEqual([0, 1, 1, 1]);
    await rows.nth(0).getByText('Replaced by another API key').waitFor();
    await button(rows.nth(0), 'Revoke: web shop').waitFor();
    await context.route('**/v1/api-keys/*/rotate', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Rotate: feeder').click();
    await current.pressUntilInside('Rotate', 'The service cannot be reached.');
    await context.unroute('**/v1/api-keys/*/rotate');
    await button(dialog(current), 'Rotate').click();
    const shown = await secretIn(current);
    expect((await storeOf(current, shown).apiKeys.current()).name).toBe('feeder');
    await current.press('Copy', 'Copied', 'Done');
    await button(page, 'Rotate: test').click();
    await dialog(current).getByRole('radio', { name: 'not at all' }).check();
    await button(dialog(current), 'Rotate').click();
    await page.getByText('Expired').first().waitFor({ state: 'attached' });
    const secret = await secretIn(current);
    expect((await storeOf(current, secret).apiKeys.current()).name).toBe('test');
    await current.press('Copy', 'Copied', 'Done');
    await page.getByRole('row', { name: 'Active' }).getByText('(yours)').waitFor();
    await button(page, 'Revoke: test').last().click();
    await dialog(current).getByText('This signs you out immediately.').waitFor();
  });

  test('of the user is not lost if the page sends a request with the old key before it has the new one', async () => {
    const { page, context, expected } = await installClock(current);
    expected.push(failed(401));
    await enter(current, 'API keys', 'Rotate: test');
    await dialog(current).getByRole('radio', { name: 'not at all' }).check();
    const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>();
    await context.route('**/v1/api-keys/*/rotate', async (route) => {
      const response = await route.fetch();
      await isSeen;
      await route.fulfill({ response }).catch(() => {});
    });
    await button(dialog(current), 'Rotate').click();
    await page.clock.fastForward(10_000);
    const refused = page.waitForResponse((response) => response.status() === 401);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await (await refused).finished();
    seen();
    await dialog(current).getByText('It is shown only once.').waitFor();
    await button(dialog(current), 'Copy').click();
    await page.reload();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
  });
});

test('the usage names the API keys that still call a deprecated operation, and is read on a phone; without a key for secrets, webhooks say what the operator must set, to a key that may manage them', async () => {
  const { page, store, database, expected } = current;
  expected.push(failed(503));
  const { id } = await store.apiKeys.create({ name: 'old till', scopes: ['pets:read'] });
  const till = { keyId: Number(id), lastCalledAt: Date.now() - 24 * 60 * 60_000 };
  await database.write(BY_TEST, ({ usage }) =>
    usage.add([
      { ...till, operationId: 'listPets', calls: 1000 },
      { ...till, operationId: 'getPet', calls: 3 },
    ]),
  );
  await enter(current, 'Usage');
  const rows = page.getByRole('table', { name: 'API keys that still call' }).getByRole('row');
  await rows.nth(1).waitFor();
  expect((await rows.allInnerTexts()).slice(1)).toEqual([
    expect.stringMatching(/^old till\tgetPet\t3\t/),
  ]);
  await page.getByText('Show as a table').click();
  expect(await page.locator('details tbody tr').count()).toBe(30);
  await page.getByRole('cell', { name: '1,003', exact: true }).waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  const date = await page.locator('.plot text').last().boundingBox();
  expect(date?.height).toBeGreaterThanOrEqual(10);
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(current, 'Webhooks');
  await current.openAndFill('Create an endpoint', { URL: 'https://shop.example/webhooks' });
  await button(dialog(current), 'Create an endpoint').click();
  await dialog(current).getByText('until the operator sets WEBHOOK_SECRET_KEY').waitFor();
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Discard').click();
  await button(page, 'Sign out').click();
  await signIn(current, await issueKey(current, ['keys:admin']));
  await page.getByText('This API key does not have the scope webhooks:admin.').waitFor();
});

describe('a failing service', () => {
  test('is asked once more and then quoted, or at once if it asks to wait, and is asked again when the user or the service says', async () => {
    const { page, requests, expected } = await installClock(current);
    expected.push(failed(503), failed(429));
    let [status, headers] = [503, {}];
    // If it comes after a list, all are loaded again.
    await page.route('**/v1/events?*', () => {});
    await page.route('**/v1/pets?*', (route) =>
      route.fulfill({
        status,
        headers: { ...headers, 'X-Request-Id': 'request-7' },
        json: { code: 'overloaded', message: `Too much with ${status}.`, status },
      }),
    );
    const asked = () => requests.filter((request) => request.url().includes('/pets?')).length;
    await signIn(current);
    await page.getByText('Too much with 503.').waitFor();
    await page.getByText('request-7').waitFor();
    expect(asked()).toBe(2);
    [status, headers] = [429, { 'Retry-After': '40' }];
    await current.clickUntil('Try again', 'Too much with 429.');
    expect(asked()).toBe(3);
    await page.getByText(/This page tries again at \d+:\d+:\d+/).waitFor();
    [status, headers] = [503, { 'Retry-After': '3600' }];
    await current.clickUntil('Try again now', 'Too much with 503.');
    expect(asked()).toBe(4);
    await page.clock.fastForward('59:00');
    expect(asked()).toBe(4);
    await page.unroute('**/v1/pets?*');
    await page.clock.fastForward('01:01');
    await page.getByText('No animals yet').waitFor();
  });

  test('is shown although a response cannot be shown, and a lost network until it is over; no change is made later that failed', async () => {
    const { page, context, store, expected } = current;
    expected.push(/Invalid time value/, /ERR_INTERNET_DISCONNECTED/);
    const order = { id: 1, petId: 1, quantity: 1, status: 'delivered', createdAt: 'yesterday' };
    const strange = '**/v1/store/orders?*';
    await page.route(strange, (route) => route.fulfill({ json: [order] }));
    await signIn({ ...current, start: '/#/orders' });
    await page.getByText('Something unexpected happened on this page.').waitFor();
    await page.unroute(strange);
    await open(current, 'Animals');
    await page.getByText('No animals yet').waitFor();
    await context.setOffline(true);
    await current.openAndFill('Add an animal', { Name: 'Rex', Category: '1' });
    await current.pressUntilInside('Add an animal', 'The service cannot be reached.');
    await page.getByText('The connection is lost.').waitFor();
    // The user clicks while the page gets the first response.
    await page.evaluate(`const { text } = Response.prototype;
      Response.prototype.text = async function () {
        const body = await text.call(this);
        if (this.url.includes('/events')) return body;
        Response.prototype.text = text;
        document.querySelector('dialog [type=submit]').click();
        return body;
      };`);
    await context.setOffline(false);
    await page.getByText('Rex was added.').waitFor();
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    expect(await store.pets.list().toArray()).toHaveLength(1);
    await button(page, 'Open Rex').waitFor();
    await context.setOffline(true);
    await button(page, 'Open Rex').click();
    await dialog(current).getByText('The service cannot be reached.').waitFor();
    await context.setOffline(false);
    await dialog(current).getByLabel('Name').waitFor();
  });
});
