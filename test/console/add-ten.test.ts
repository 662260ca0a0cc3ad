/** Animals of one kind, one after the other or as a list. */
import { expect, test } from 'bun:test';
import { type Console, signIn, useConsole } from './console-page.ts';
import { countEffort } from './effort.ts';
import { button, dialog, expectFocus, expectTexts } from './places.ts';

const current = useConsole();

const NAMES = ['Ida', 'Ole', 'Pia', 'Pia', 'Kai', 'Ute', 'Jan', 'Eva', 'Uwe', 'Tom'];

/** The requests that add animals. */
const added = ({ requests }: Console): number =>
  requests.filter((request) => request.method() === 'POST').length;

test('rabbits are added by their names and Enter in one dialog, or as a pasted list that is seen before, by one request', async () => {
  const { page, store } = current;
  await store.categories.put(4, { name: 'Rabbits' });
  await signIn(current);
  const effort = await countEffort(page);
  await button(page, 'Add an animal').click();
  const names = ['Pia', 'Pia', 'Ida'];
  for (const [index, name] of names.entries()) {
    await page.locator('dialog input:focus').and(page.locator('[value=""]')).waitFor();
    await page.keyboard.type(name);
    if (index === 0) {
      await page.keyboard.press('Tab');
      await page.keyboard.type('rab');
      await page.getByRole('option', { name: 'Rabbits' }).waitFor();
      await dialog(current).getByRole('radio', { name: 'Pending' }).check();
      await button(dialog(current), 'Save and add another').click();
    } else await page.keyboard.press('Enter');
    await dialog(current).getByText(`${name} was added.`).first().waitFor();
  }
  // Nothing is left to lose.
  await current.leave();
  const characters = `${names.join('')}rab`.length;
  expect(await effort()).toEqual({ clicks: 3, keys: 4, characters });
  const pets = await store.pets.list().toArray();
  expect(pets.map(({ name }) => name)).toEqual(names);
  const kinds = new Set(pets.map(({ categoryId, status }) => `${categoryId} ${status}`));
  expect([...kinds]).toEqual(['4 pending']);
  const before = added(current);
  await current.clickAndPress('Add an animal', 'Add a list of names');
  await page.locator('textarea:focus').waitFor();
  await button(dialog(current), 'Add 0 animals').waitFor();
  expect(await dialog(current).getByText('Enter a name.').count()).toBe(0);
  await dialog(current).getByLabel('Category').fill('rab');
  await page.getByRole('option', { name: 'Rabbits' }).waitFor();
  await current.pressUntilInside('Add 0 animals', 'Enter a name.');
  await dialog(current).getByLabel('Category').fill('');
  const list = dialog(current).getByLabel('Names');
  await list.fill(`Ida\n${'x'.repeat(256)}`);
  await dialog(current).getByText('Name 2: Use at most 255 characters.').waitFor();
  const tooMany = dialog(current).getByText('Add at most 1,000 animals at once.');
  // The browser takes seconds to enter so many lines.
  const put = (count: number) =>
    page.evaluate(`{
      const field = document.querySelector('textarea');
      field.setRangeText('Ida\\n'.repeat(${count}), 0, field.textLength);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
  await put(1001);
  await tooMany.waitFor();
  await put(1000);
  await tooMany.waitFor({ state: 'detached' });
  await list.fill(` ${NAMES.join(' \n\n')}\nAda\nBea\nCid\n`);
  const preview = dialog(current).getByRole('region', { name: 'Preview' });
  await expectTexts(preview.getByRole('listitem'), [...NAMES, 'Ada', 'Bea']);
  await preview.getByText('and 1 more').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.type('rab');
  await page.keyboard.press('Enter');
  await page.getByText('Animals added: 13.').waitFor();
  expect(added(current)).toBe(before + 1);
  const all = await store.pets.list().toArray();
  expect(all.slice(3).map(({ name }) => name)).toEqual([...NAMES, 'Ada', 'Bea', 'Cid']);
  expect(all.at(-1)).toMatchObject({ categoryId: 4, status: 'available' });
  await expectFocus(current, 'Add an animal');
});
