import { describe, expect, test } from 'bun:test';
import { until } from '../support/process.ts';
import { enter, enterAt, failed, holdRequests, useConsole } from './console-page.ts';
import { button, dialog, expectRows } from './places.ts';

describe('categories', () => {
  const current = useConsole();
  test('are named as the user sent them, although the next free number is late, are not renamed by mistake, and are deleted when no animal has them', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409), failed(412));
    await store.categories.put(-5, { name: 'Below zero' });
    const number = await holdRequests(current, '**/v1/categories?*sort=-id*');
    const release = await holdRequests(current, '**/v1/pets?*categoryId=8*');
    await enter(current, 'Categories', 'Add a category');
    await page.keyboard.type('Birds\n');
    await button(dialog(current), 'Saving…').waitFor();
    await page.keyboard.type(' and cats');
    await page.keyboard.press('Escape');
    number();
    await page.getByText('Category Birds was saved.').waitFor();
    const named = await store.categories.list().toArray();
    expect(named).toMatchObject([{ id: -5 }, { id: 1, name: 'Birds' }]);
    await store.categories.put(7, { name: 'Dogs' });
    await button(page, 'Rename: Dogs').waitFor();
    await button(page, 'Add a category').click();
    await page.keyboard.type('Cats');
    await page.keyboard.press('Tab');
    const found = page.waitForResponse('**/v1/pets?*categoryId=8*');
    release();
    await (await found).finished();
    // A suggestion would be there now.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
    await page.keyboard.type('07');
    await current.pressUntilInside('Save', 'Category 7 is already named “Dogs”.');
    await button(dialog(current), 'Keep the name').click();
    expect(await store.categories.get(7)).toMatchObject({ name: 'Dogs' });
    await button(dialog(current), 'Save').click();
    await current.pressUntil('Rename', 'Category Cats was saved.');
    expect(await store.categories.get(7)).toMatchObject({ name: 'Cats' });
    await current.openAndFill('Rename: Cats', { Name: 'Good cats' });
    await store.categories.put(7, { name: 'Kittens' });
    await current.pressUntilInside('Save', 'Somebody has changed it since.');
    expect((await store.categories.get(7)).name).toBe('Kittens');
    await page.keyboard.press('Escape');
    await current.leave('Discard');
    // The next number is free, and the one after it has an animal.
    await store.pets.create({ name: 'Rex', categoryId: 9 });
    await button(page, 'Add a category').click();
    await page.keyboard.type('Dogs');
    await page.keyboard.press('Enter');
    await page.getByText('Category Dogs was saved.').waitFor();
    expect(await store.categories.get(8)).toMatchObject({ name: 'Dogs' });
    await button(page, 'Add a category').click();
    await dialog(current).locator('[value="10"]').waitFor();
    await page.keyboard.press('Escape');
    await store.pets.createMany([1, 2].map((index) => ({ name: `Dog ${index}`, categoryId: 8 })));
    await current.openAndFill('Rename: Dogs', { Name: 'Good dogs' });
    await button(dialog(current), 'Save').click();
    await page.getByRole('row', { name: 'Good dogs 8 2' }).waitFor();
    await button(page, 'Delete: Good dogs').click();
    await dialog(current).getByText('2 of them').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Good dogs' }).click();
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    await expectRows(current, Array(2).fill('Good dogs'));
    for (const id of [2, 3]) await store.pets.delete(id);
    await page.goBack();
    await page.getByRole('row', { name: 'Good dogs 8 0' }).waitFor();
    await button(page, 'Delete: Good dogs').click();
    await dialog(current).getByText('No animal belongs to it.').waitFor();
    await store.pets.create({ name: 'Max', categoryId: 8 });
    await current.pressUntilInside('Delete', 'That did not work');
    await store.pets.delete(4);
    await current.pressUntil('Delete', 'Category Good dogs was deleted.');
  });

  test('of an animal are chosen by name or by number', async () => {
    const { page, store } = current;
    for (const [id, name] of [
      [1, 'Dogs'],
      [2, 'Cats'],
      [3, 'cats'],
      [4, '5'],
    ] as const)
      await store.categories.put(id, { name });
    await enterAt(current, 'Add an animal');
    const field = dialog(current).getByLabel('Category');
    const resultOf = async (text: string) => {
      await field.fill(text);
      await dialog(current).getByLabel('Name').focus();
      const said = await field.locator('xpath=..').locator('.fault, .hint').allInnerTexts();
      return [await field.inputValue(), ...said];
    };
    await dialog(current).getByLabel('Name').fill('Rex');
    // The categories may not be there yet.
    await until(async () => (await resultOf('do'))[0] === 'Dogs');
    expect(await resultOf('2')).toEqual(['2', 'Cats (2)']);
    expect(await resultOf('CATS (3)')).toEqual(['cats (3)']);
    expect(await resultOf('5')).toEqual(['5', 'Category 5 has no name.']);
    await resultOf('cats');
    await button(dialog(current), 'Add an animal').click();
    const said = async (text: string) => (await resultOf(text)).at(-1);
    expect(await said('cats')).toBe(
      'Several categories begin so: Cats (2) and cats (3). Type more.',
    );
    expect(await said('birds')).toStartWith('No category with this name was found.');
    expect(await said('9223372036854775808')).toStartWith('Enter a whole number');
    await field.fill('dog');
    await field.press('Enter');
    await page.getByText('Rex was added.').waitFor();
    expect(await store.pets.get(1)).toMatchObject({ categoryId: 1 });
  });
});
