/** Several tabs of one browser share a session. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addRex, enter, failed, issueKey, openRex, signIn, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole();

/** Opens another tab, and notes what it must not do. */
async function openTab(link = '/'): Promise<Page> {
  const { context, errors, requests } = current;
  const tab = await context.newPage();
  tab.on('request', (request) => requests.push(request));
  tab.on('pageerror', (error) => errors.push(String(error)));
  await tab.goto(link);
  return tab;
}

const kept = (tab: Page): Promise<string> =>
  tab.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])');

test('a second tab needs no key, and signing out or in, also again after a key has ended, does so in all', async () => {
  const { page, service, store, expected } = current;
  expected.push(failed(401));
  await addRex(current);
  await signIn(current);
  const second = await openTab('/#/orders');
  await second.getByRole('heading', { name: 'Orders' }).waitFor();
  expect(await kept(second)).toBe(JSON.stringify([{ 'animal-store-key': service.key }, {}, '']));
  await button(second, 'Sign out').click();
  for (const tab of [page, second]) {
    await button(tab, 'Sign in').waitFor();
    expect(await kept(tab)).toBe(JSON.stringify([{}, {}, '']));
  }
  const late = await openTab();
  await late.getByLabel('API key').fill('ask_live_wrong');
  await button(late, 'Sign in').click();
  await late.getByRole('alert').waitFor();
  // Those that wait for a session follow the first one that has one.
  await signIn({ page: second, service }, await issueKey(current, ['pets:read', 'pets:write']));
  for (const tab of [page, late]) await tab.getByRole('navigation').first().waitFor();
  for (const tab of [second, late]) await tab.close();
  // A tab whose key has ended goes on when the user signs in again in another tab.
  await openRex(current);
  await dialog(current).getByLabel('Name').fill('Max');
  const [, { id } = { id: 0 }] = await store.apiKeys.list().toArray();
  await store.apiKeys.revoke(id);
  const ended = 'Your API key is no longer valid.';
  await current.pressUntil('Save', ended);
  const third = await openTab();
  await button(third, 'Sign in').waitFor();
  expect(await third.getByRole('alert').count()).toBe(0);
  await signIn({ page: third, service });
  await dialog(current).getByText(ended).waitFor({ state: 'detached' });
  await current.pressUntil('Save', 'Max was saved.');
});

test('a key that is rotated in one tab goes on in the others, and the old one in a tab that cannot take the new one', async () => {
  const { page, store, expected } = current;
  expected.push(failed(401));
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await enter(current, 'API keys');
  const second = await openTab('/#/animals');
  await button(second, 'Open Rex').click();
  await dialog({ page: second }).getByLabel('Name').fill('Max');
  // It goes on without a question.
  await second.evaluate(`new MutationObserver(() => {
    window.wasAsked ||= document.body.textContent.includes('no longer valid');
  }).observe(document.body, { childList: true, subtree: true })`);
  await button(page, 'Rotate: test').click();
  await dialog(current).getByRole('radio', { name: 'not at all' }).check();
  const renewed = second.waitForResponse((response) => response.url().endsWith('/current'));
  await button(dialog(current), 'Rotate').click();
  await (await renewed).finished();
  await second.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await second.getByText('Max was saved.').waitFor();
  expect(await second.evaluate('window.wasAsked')).toBeFalsy();
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Close').last().click();
  await second.route('**/current', (route) => route.fulfill({ status: 404 }));
  await button(page, 'Rotate: test').click();
  const refused = second.waitForResponse('**/current');
  await button(dialog(current), 'Rotate').click();
  await (await refused).finished();
  await button(second, 'Open Max').click();
});

test('a tab whose key has ended leaves the stream to a tab with another key', async () => {
  const { page, store, expected } = current;
  expected.push(failed(401));
  const key = await issueKey(current, ['pets:read', 'pets:write', 'events:read']);
  const following = page.waitForRequest('**/events/stream*');
  await signIn(current, key);
  await following;
  const second = await openTab('/#/animals');
  await button(second, 'Sign out').waitFor();
  const [, { id } = { id: 0 }] = await store.apiKeys.list().toArray();
  await store.apiKeys.revoke(id);
  const ended = 'Your API key is no longer valid.';
  for (const tab of [page, second]) await tab.getByText(ended).waitFor();
  const lesser = await issueKey(current, ['pets:read', 'events:read']);
  await dialog({ page: second }).getByLabel('API key').fill(lesser);
  await second.keyboard.press('Enter');
  // The first tab waits for the same answer of the user.
  await button(dialog({ page: second }), 'Go on with it').click();
  await second.getByText(ended).waitFor({ state: 'detached' });
  await button(page, 'Go on with it').waitFor();
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await button(second, 'Open Mia').waitFor({ timeout: 5000 });
});
