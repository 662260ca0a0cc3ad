/** A day of a staff member, from signing in to signing out. */

import { expect, test } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { BY_TEST } from '../support/cause.ts';
import { type Console, failed, open, reserve, signIn, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole({ context: { permissions: ['clipboard-write'] } });

/** The catalogue of a small shop, and a till that used the old operation yesterday. */
async function openShop({ database, store }: Console): Promise<void> {
  await store.categories.put(1, { name: 'Dogs' });
  await store.categories.put(2, { name: 'Cats' });
  for (let index = 1; index <= 30; index += 1) {
    const categoryId = 1 + (index % 2);
    await store.pets.create({ name: `Animal ${index}`, categoryId, status: 'available' });
  }
  const { id: keyId } = await store.apiKeys.create({ name: 'old till', scopes: ['pets:read'] });
  const lastCalledAt = Date.now() - 24 * 60 * 60_000;
  await database.write(BY_TEST, ({ usage }) =>
    usage.add([{ keyId: Number(keyId), operationId: 'getPet', calls: 3, lastCalledAt }]),
  );
}

async function sell({ page }: Console, id: string): Promise<void> {
  await page.getByLabel('Search').fill(id);
  await button(page, 'Open Animal 1').waitFor({ state: 'detached' });
  await button(page, `Open Animal ${id}`).click();
  await reserve(current);
  await dialog(current).getByText('30 min left').waitFor();
  await button(dialog(current), 'Approve: Order 1').click();
  await button(dialog(current), 'Hand over: Order 1').click();
  await dialog(current).getByRole('radio', { name: 'Sold', checked: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('cell', { name: 'Sold' }).waitFor();
  await page.getByLabel('Search').fill('');
}

async function add({ page }: Console, name: string): Promise<void> {
  await button(page, 'Add an animal').click();
  await dialog(current).getByLabel('Name').fill(name);
  await dialog(current).getByLabel('Category').fill('cats');
  await button(dialog(current), 'Add an animal').click();
  await page.getByText(`${name} was added.`).waitFor();
}

async function correct({ page, store }: Console): Promise<void> {
  await page.goto('/#/animals?id=33');
  await button(page, 'Open Mimo').click();
  await dialog(current).getByLabel('Name').fill('Momo');
  await store.pets.update(33, { categoryId: 1 });
  await button(dialog(current), 'Save').click();
  await dialog(current).getByText('Someone else changed this animal').waitFor();
  await button(dialog(current), 'Save yours').click();
  await page.getByText('Momo was saved.').waitFor();
}

async function makeKey({ page }: Console): Promise<string> {
  await open(current, 'API keys');
  await button(page, 'Create an API key').click();
  await dialog(current).getByLabel('Name').fill('web shop');
  await button(dialog(current), 'Create an API key').click();
  await dialog(current).getByText('It is shown only once.').waitFor();
  const [secret = ''] = await dialog(current).locator('output').allInnerTexts();
  await button(dialog(current), 'Copy').click();
  await button(dialog(current), 'Done').click();
  return secret;
}

async function callersOfDeprecated({ page }: Console): Promise<string[]> {
  await open(current, 'Usage');
  const rows = page.getByRole('table', { name: 'API keys that still call' }).getByRole('row');
  await rows.nth(1).waitFor();
  return rows.allInnerTexts();
}

test('a day: find, reserve and sell an animal, add three, correct one, make a key, see the usage', async () => {
  const { page, service, store, expected } = current;
  expected.push(failed(412));
  await openShop(current);
  await signIn(current);
  await page.getByText('30 in the catalogue').waitFor();
  await sell(current, '17');
  expect((await store.pets.get(17)).status).toBe('sold');
  for (const name of ['Nemo', 'Dory', 'Mimo']) await add(current, name);
  await page.getByText('33 in the catalogue').waitFor();
  await correct(current);
  expect(await store.pets.get(33)).toMatchObject({ name: 'Momo', categoryId: 1 });
  const apiKey = await makeKey(current);
  const shop = new AnimalStore({ apiKey, baseUrl: `${service.origin}/v1` });
  expect(await shop.apiKeys.current()).toMatchObject({ name: 'web shop', scopes: ['pets:read'] });
  const [, ...callers] = await callersOfDeprecated(current);
  expect(callers).toEqual([expect.stringMatching(/^old till\tgetPet\t3\t/)]);
  await page.getByText('Show as a table').click();
  expect(await page.locator('details tbody tr').count()).toBe(30);
  await page.setViewportSize({ width: 320, height: 640 });
  const date = await page.locator('.plot text').last().boundingBox();
  expect(date?.height).toBeGreaterThanOrEqual(10);
  await button(page, 'Sign out').click();
  await button(page, 'Sign in').waitFor();
});
