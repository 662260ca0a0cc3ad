import { describe, expect, test } from 'bun:test';
import { failed, issueKey, open, signIn, useConsole } from './console-page.ts';
import { button, expectTexts } from './places.ts';

describe('in staging', () => {
  const current = useConsole({ flags: { environment: 'staging' }, isOpen: true });

  test('signing in tells that a key is wrong or the service cannot be reached, accepts a valid key, shows a mark, and lasts for a reload of an unavailable service, until the user signs out or the key is revoked', async () => {
    const { page, context, store, expected } = current;
    expected.push(failed(401), failed(500), /ERR_INTERNET_DISCONNECTED/);
    await current.clickUntil('Sign in', 'Enter an API key.');
    await page.getByLabel('API key').fill('ask_live_wrong');
    await page.keyboard.press('Enter');
    const refusal = page.getByText('The service does not accept this API key.');
    await refusal.waitFor();
    await context.setOffline(true);
    await page.getByLabel('API key').fill('ask_live_any');
    await current.clickUntil('Sign in', 'The service cannot be reached.');
    await context.setOffline(false);
    // No key has such characters.
    await page.getByLabel('API key').fill('clé du magasin');
    await button(page, 'Sign in').click();
    await refusal.waitFor();
    await signIn(current, ` ${current.service.key} `);
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    await page.getByText('Staging', { exact: true }).waitFor();
    const ownKey = '**/v1/api-keys/current';
    await page.route(ownKey, (route) => route.fulfill({ status: 500, body: 'down' }));
    await page.reload();
    await page.getByText('The response has the status 500.').waitFor();
    await page.unroute(ownKey);
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    await button(page, 'Sign out').click();
    await button(page, 'Sign in').waitFor();
    const { id, key } = await store.apiKeys.create({ name: 'old', scopes: ['pets:read'] });
    await Promise.all([page.waitForResponse('**/v1/categories?*'), signIn(current, key)]);
    // Otherwise a late request finds out before the page is left, and leaving it then signs out.
    await page.getByText('No animals yet').waitFor();
    await store.apiKeys.revoke(id);
    await page.goto('/#/categories');
    await button(page, 'Sign in').waitFor();
    await page.getByText('Your API key is no longer valid.').waitFor();
    // No dialog has anything to lose.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

describe('a key with few scopes', () => {
  const current = useConsole({ isOpen: true });

  test('is offered only what it may do, and learns which scope a screen needs; a service in production shows no mark', async () => {
    const { page, store, service } = current;
    await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
    await signIn(current, await issueKey(current, ['pets:read']));
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expectTexts(links, ['Today', 'Animals', 'Categories']);
    expect(await page.getByRole('region', { name: 'Admin' }).count()).toBe(0);
    expect(await button(page, 'Add an animal').count()).toBe(0);
    await button(page, 'Open Rex').waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await button(page, 'Open Rex').click();
    await button(page.getByRole('dialog'), 'Close').first().waitFor();
    for (const name of ['Save', 'Delete', 'Reserve']) {
      expect(await button(page, name).count()).toBe(0);
    }
    await page.keyboard.press('Escape');
    await open(current, 'Categories');
    expect(await button(page, 'Add a category').count()).toBe(0);
    await page.goto('/#/keys');
    await page.getByText('This API key does not have the scope keys:admin.').waitFor();
    await page.goto('/#/nothing');
    await page.getByText('This page does not exist.').waitFor();
    expect(await page.title()).toBe('Animal Store');
    await page.getByRole('link', { name: 'Back to the first page' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await button(page, 'Sign out').click();
    await signIn({ page, service }, await issueKey(current, ['orders:write']));
    await page.getByText('This API key cannot read animals').waitFor();
    expect(await page.getByText('Staging').count()).toBe(0);
  });
});
