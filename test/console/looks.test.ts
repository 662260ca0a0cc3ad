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

test('the first page begins at its top, a long name takes two lines, a selected status is seen, and messages can be read and cover no button', async () => {
  const { page, store } = current;
  await page.setViewportSize({ width: 640, height: 300 });
  await page.goto('/#/animals');
  await button(page, 'Sign in').waitFor();
  await page.evaluate('scrollTo(0, 999)');
  expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  await signIn(current);
  await eventually(async () => expect(await page.evaluate('scrollY')).toBe(0));
  await page.setViewportSize({ width: 640, height: 400 });
  const name = 'W '.repeat(127).trim();
  await store.pets.create({ name, categoryId: 1, status: 'available' });
  await button(page, `Open ${name}`).click();
  const heading = page.getByRole('dialog', { name }).getByRole('heading', { name });
  await heading.getByTitle(name).waitFor();
  expect((await heading.boundingBox())?.height).toBeLessThan(60);
  await current.leave();
  await store.pets.delete(1);
  await addRex(current);
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
  await page.setViewportSize({ width: 1280, height: 600 });
  await current.openAndFill('Add an animal', { Name: 'Mia', Category: '1' });
  await current.pressUntilInside('Save and add another', 'Mia was added.');
  await row(current, 1).waitFor();
  const said = await dialog(current).locator('.status-line p').boundingBox();
  const buttons = await dialog(current).locator('.actions').last().boundingBox();
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(buttons?.y ?? 0);
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
