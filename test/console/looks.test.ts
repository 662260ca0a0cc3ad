/** What the eye stumbles over. */
import { expect, test } from 'bun:test';
import { expectNoSidewaysScroll } from '../support/axe.ts';
import { addRex, openRex, signIn, useConsole } from './console-page.ts';
import { button, dialog, eventually, row } from './places.ts';

const current = useConsole({
  context: { viewport: { width: 640, height: 400 }, locale: 'th-TH' },
});

const colourOf = (selector: string): Promise<string> =>
  current.page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`,
  );

test('the first page begins at its top although the sign-in was scrolled', async () => {
  const { page } = current;
  await page.setViewportSize({ width: 640, height: 300 });
  await page.goto('/#/animals');
  await button(page, 'Sign in').waitFor();
  await page.evaluate('scrollTo(0, 999)');
  expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  await signIn(current);
  await eventually(async () => expect(await page.evaluate('scrollY')).toBe(0));
});

test('a long name takes two lines of its dialog, and is its whole title', async () => {
  const { page, store } = current;
  const name = 'W '.repeat(127).trim();
  await store.pets.create({ name, categoryId: 1, status: 'available' });
  await signIn(current);
  await button(page, `Open ${name}`).click();
  const heading = page.getByRole('dialog', { name }).getByRole('heading', { name });
  await heading.getByTitle(name).waitFor();
  expect((await heading.boundingBox())?.height).toBeLessThan(60);
});

test('what was done does not cover the buttons of a dialog', async () => {
  const { page } = current;
  await page.setViewportSize({ width: 1280, height: 600 });
  await signIn(current);
  await button(page, 'Add an animal').first().click();
  await current.fill({ Name: 'Rex', Category: '1' });
  await current.pressUntilInside('Save and add another', 'Rex was added.');
  await row(current, 0).waitFor();
  const said = await dialog(current).locator('.status-line p').boundingBox();
  const buttons = await dialog(current).locator('.actions').last().boundingBox();
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(buttons?.y ?? 0);
});

test('the status of a selected row is seen, and the action of a message can be read under the pointer', async () => {
  const { page } = current;
  await addRex(current);
  await signIn(current);
  const selected = page.getByRole('checkbox', { name: 'Select Rex' });
  await selected.check();
  expect(await colourOf('tbody .chip')).not.toBe(await colourOf('tbody tr'));
  await selected.uncheck();
  await openRex(current);
  await current.pressUntil('Sell', 'Rex is sold.');
  await button(page, 'Undo').hover();
  const inkOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
  expect(await inkOf('.status-line .button')).toBe(await inkOf('.status-line p'));
});

test('Today breaks no word of a category, shows the animal beside a long reference, and a time that is left in the language of the page', async () => {
  const { page, store } = current;
  const names = ['Budgerigars', 'W'.repeat(60)];
  for (const [index, name] of names.entries()) {
    await store.categories.put(index + 1, { name });
    await store.pets.create({ name: 'Mimi', categoryId: index + 1, status: 'available' });
  }
  await store.orders.place({ petId: 1, reference: 'Dr. Katharina von Hohenstein-Wolkenburg' });
  await page.goto('/#/');
  await signIn(current);
  await page.getByText('30 min left').waitFor();
  const name = page.getByRole('rowheader', { name: 'Budgerigars' });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await name.waitFor();
    expect((await name.boundingBox())?.height).toBeLessThan(40);
    const held = await button(page, 'Mimi Order 1').locator('.name-text').boundingBox();
    expect(held?.width).toBeGreaterThan(30);
    await expectNoSidewaysScroll(page, `Today at ${width}`);
  }
});
