/** API keys of the console that expire. */
import { expect, test } from 'bun:test';
import { AnimalStore } from '../../sdk/src/index.ts';
import { enter, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole({ context: { timezoneId: 'America/New_York' } });

test('a new API key expires at the end of the chosen day in the time zone of the browser, and not in the past', async () => {
  const { page, service } = current;
  await enter(current, 'API keys');
  await button(page, 'Create an API key').click();
  await dialog(current).getByLabel('Name').fill('web shop');
  for (const day of ['2020-01-01', '12027-01-01']) {
    await dialog(current).getByLabel('Expires').fill(day);
    await button(dialog(current), 'Create an API key').click();
    await dialog(current).getByText('Choose a day from today to the year 9999.').waitFor();
  }
  await dialog(current).getByLabel('Expires').fill('');
  await page.keyboard.type('06');
  await button(dialog(current), 'Create an API key').click();
  await dialog(current).getByLabel('Expires').fill('2099-06-30');
  await button(dialog(current), 'Create an API key').click();
  await dialog(current).getByText('It is shown only once.').waitFor();
  const [apiKey = ''] = await dialog(current).locator('output').allInnerTexts();
  const store = new AnimalStore({ apiKey, baseUrl: `${service.origin}/v1` });
  expect(await store.apiKeys.current()).toMatchObject({
    expiresAt: '2099-07-01T03:59:59.000Z',
    scopes: ['pets:read'],
  });
});
