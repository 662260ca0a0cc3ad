/** The API key ends while the page is used: it asks for another one over the page, and nothing that was typed is lost. */
import { describe, expect, test } from 'bun:test';
import type { IssuedApiKey, Scope } from '../../sdk/src/index.ts';
import { expectNoViolations } from '../support/axe.ts';
import { failed, holdRequests, openNewRex, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole();

const COUNTER: Scope[] = ['pets:read', 'pets:write', 'orders:read', 'orders:write'];

const issue = (name: string, scopes = COUNTER): Promise<IssuedApiKey> =>
  current.store.apiKeys.create({ name, scopes });

/** A person changes the name of Rex, and the key is revoked while it is saved. */
async function endInMidEdit(change = () => edit(COUNTER)): Promise<void> {
  const { page, store } = current;
  let id: number | bigint = 0;
  // Not before the click: what the page loads by itself would find it out.
  await page.route(
    '**/v1/pets/1',
    async (route) => {
      await store.apiKeys.revoke(id);
      await route.continue();
    },
    { times: 1 },
  );
  id = await change();
  await current.pressUntil('Save', 'Your API key is no longer valid.');
}

/** Changes the name of Rex without saving it. Returns the id of the API key. */
async function edit(scopes: Scope[]): Promise<number | bigint> {
  current.expected.push(failed(401));
  const { id, key } = await issue('Ada', scopes);
  await openNewRex(current, key);
  await dialog(current).getByLabel('Name').fill('Max');
  return id;
}

const nameTyped = () => current.page.getByRole('dialog').first().getByLabel('Name').inputValue();

async function signInAgain(key: string): Promise<void> {
  await dialog(current).getByLabel('API key').fill(key);
  await current.page.keyboard.press('Enter');
}

describe('a key that ends in mid-edit', () => {
  test('is replaced over the dialog, and the change is saved by two more steps, but not by a key that may do less without a question', async () => {
    const { page, store, expected } = current;
    expected.push(failed(403));
    await endInMidEdit();
    await dialog(current).locator('[type=password]:focus').waitFor();
    await expectNoViolations(page, 'sign in again', { part: 'dialog[open]' });
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await signInAgain('ask_live_wrong');
    await dialog(current).getByText('The service does not accept this API key.').waitFor();
    const bo = await issue('Bo', [...COUNTER, 'events:read']);
    await signInAgain(bo.key);
    await page.getByText('You are now signed in as Bo.').first().waitFor();
    expect(await nameTyped()).toBe('Max');
    await dialog(current).getByText('Sign in, and try again.').first().waitFor();
    await current.pressUntil('Save', 'Max was saved.');
    expect(await store.pets.get(1)).toMatchObject({ name: 'Max' });
    expect(await page.evaluate("sessionStorage.getItem('animal-store-key')")).toBe(bo.key);
    await page.locator('.who').getByText('Bo', { exact: true }).waitFor();
    await endInMidEdit(async () => {
      await current.openAndFill('Open Max', { Name: 'Mia' });
      return bo.id;
    });
    const { key } = await issue('Cy', ['pets:read']);
    await signInAgain(key);
    await dialog(current).getByText('The API key of Cy may do less').waitFor();
    await dialog(current)
      .getByText('It may not: change animals and categories, read orders')
      .waitFor();
    await button(dialog(current), 'Use another key').click();
    expect(await nameTyped()).toBe('Mia');
    await signInAgain(key);
    await current.leave('Go on with it');
    expect(await page.evaluate("sessionStorage.getItem('animal-store-key')")).toBe(key);
    await page.locator('.who').getByText('Cy', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Orders', exact: true }).count()).toBe(0);
    await button(page, 'Open Max').click();
    await button(dialog(current), 'Close').first().waitFor();
    expect(await button(page, 'Save').count()).toBe(0);
  });

  test('is replaced before the user saves if the page finds it out by its stream of events, whose connection was lost and is back', async () => {
    const { page, store, expected } = current;
    expected.push(failed(503));
    await page.route('**/v1/events/stream*', (route) => route.fulfill({ status: 503, body: '{}' }));
    const id = await edit([...COUNTER, 'events:read']);
    const notice = page.getByText('The connection is lost.');
    await notice.waitFor();
    await store.apiKeys.revoke(id);
    await page.unroute('**/v1/events/stream*');
    await page.getByText('Your API key is no longer valid.').waitFor();
    const { key } = await issue('Ada', [...COUNTER, 'events:read']);
    const following = page.waitForResponse((one) => /stream/.test(one.url()) && one.ok());
    await signInAgain(key);
    await following;
    await notice.waitFor({ state: 'detached' });
    expect(await nameTyped()).toBe('Max');
    await current.pressUntil('Save', 'Max was saved.');
    expect(await store.pets.get(1)).toMatchObject({ name: 'Max' });
  });

  test('can be left by signing out, after a question, and stays left although the service answers about another key', async () => {
    const { page, service } = current;
    // The page asks for the first time when it is loaded.
    const answered = await holdRequests(current, '**/v1/api-keys/current', 1);
    await endInMidEdit();
    await page.keyboard.press('Escape');
    await dialog(current).getByText('What you have not saved is lost.').waitFor();
    await page.keyboard.press('Escape');
    expect(await nameTyped()).toBe('Max');
    await signInAgain(service.key);
    await page.evaluate('history.back()');
    await dialog(current).getByText('What you have not saved is lost.').waitFor();
    await page.keyboard.press('Escape');
    await button(dialog(current), 'Sign out').click();
    await current.leave('Sign out');
    await button(page, 'Sign in').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const answer = page.waitForResponse('**/v1/api-keys/current');
    answered();
    await (await answer).finished();
    await page.getByLabel('API key').fill('typed');
    expect(await button(page, 'Sign out').count()).toBe(0);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
