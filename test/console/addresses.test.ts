/** Addresses that a person has typed, or that another version has made. */
import { expect, test } from 'bun:test';
import { signIn, useConsole } from './console-page.ts';
import { button, expectTexts } from './places.ts';

const current = useConsole();

test('the address of a later page or of an id is right where it is pasted, and an invalid filter is reported beside the filter', async () => {
  const { page, store, requests } = current;
  const pets = Array.from({ length: 45 }, (_, index) => ({
    name: `No ${45 - index}`,
    categoryId: 1,
    status: 'available' as const,
  }));
  await store.pets.createMany(pets);
  await signIn(current);
  const hashes: string[] = [];
  for (const name of ['No 21', 'No 41']) {
    await button(page, 'Next page').click();
    await button(page, `Open ${name}`).waitFor();
    hashes.push(new URL(page.url()).hash);
  }
  const [second = '', third = ''] = hashes;
  await page.goto('/#/orders');
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.goto(`/${third}`);
  await button(page, 'Open No 41').waitFor();
  await page.getByText('Page 3: 5 entries').waitFor({ state: 'attached' });
  await page.getByRole('navigation', { name: 'Page 3' }).getByText('Page 3').waitFor();
  await page.goto(`/${second.replace('page=2', 'page')}`);
  await button(page, 'Open No 21').waitFor();
  const nameless = page.getByRole('navigation', { name: 'A later page' });
  await nameless.waitFor();
  for (const [turn, name] of [
    ['Next page', 'No 41'],
    ['Previous page', 'No 21'],
  ] as const) {
    await button(page, turn).click();
    await button(page, `Open ${name}`).waitFor();
    expect(await nameless.count()).toBe(1);
  }
  await button(page, 'First page').click();
  await page.getByRole('navigation', { name: 'Page 1' }).waitFor();
  await page.goto('/#/animals?page');
  await page.getByRole('navigation', { name: 'Page 1' }).waitFor();
  // Earlier addresses had the id beside the name.
  await page.goto('/#/animals?id=7');
  await button(page, 'Open No 39').waitFor();
  const expectFaults = async (link: string, ...faults: unknown[]) => {
    await page.goto(link);
    await expectTexts(page.getByRole('alert'), faults);
    await page.getByText('A filter is not valid').waitFor();
  };
  const number = expect.stringContaining('Enter a whole number');
  await expectFaults('/#/animals?category=abc', number);
  expect(await page.getByLabel('Category').getAttribute('aria-invalid')).toBe('true');
  const sent = requests.length;
  const status = 'This status does not exist. Choose one of these.';
  await expectFaults('/#/animals?category=1e3&status=lost', number, status);
  await expectFaults('/#/orders?status=lost&animal=-9223372036854775809', status, number);
  expect(requests.slice(sent).filter((request) => request.url().includes('lost'))).toHaveLength(0);
  await page.goto('/#/animals?category=1e3&status=lost');
  await page.getByRole('radio', { name: /^Available/ }).check();
  await page.getByLabel('Category').fill('1');
  await page.keyboard.press('Enter');
  await button(page, 'Open No 1').waitFor();
});
