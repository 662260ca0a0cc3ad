/** The user and a colleague change the same animal at the same time. */
import { describe, expect, test } from 'bun:test';
import type { PetPatch } from '../../sdk/src/index.ts';
import { enterAt, failed, holdRequests, reserve, useConsole } from './console-page.ts';
import { button, dialog, expectFocus, expectTexts, row } from './places.ts';

const current = useConsole();

/** The user changes the name from Rexx to Rex, and the colleague makes these changes in between. */
async function editBesideColleague(theirs: PetPatch<bigint | number>): Promise<void> {
  const { page, store, expected } = current;
  expected.push(failed(412));
  await store.categories.put(7, { name: 'Dogs' });
  await store.pets.create({ name: 'Rexx', categoryId: 1, status: 'available' });
  await enterAt(current, 'Open Rexx');
  const name = dialog(current).getByLabel('Name');
  await name.fill('Rex');
  const load = await holdRequests(current, '**/v1/pets?*id=1*');
  await store.pets.update(1, theirs);
  const refused = page.waitForResponse((response) => response.status() === 412);
  await name.press('Enter');
  await (await refused).finished();
  // The conflict would not have it.
  await page.keyboard.type('yyyy', { delay: 20 });
  expect(await name.inputValue()).toBe('Rex');
  load();
  await dialog(current).getByText('Someone else changed this animal').waitFor();
}

describe('a conflict', () => {
  test('shows what each has changed, loses no change of the user without a question, and saves only what the user has changed or chosen', async () => {
    const { page, store } = current;
    await editBesideColleague({ categoryId: 7, status: 'sold' });
    await expectTexts(dialog(current).locator('tbody tr'), [
      'Name\tRexx\tRex\nchanged',
      'Category\tDogs 7\nchanged\n\tNot changed',
      'Status\tSold\nchanged\n\tNot changed',
    ]);
    expect(await dialog(current).getByRole('radio').count()).toBe(0);
    await expectFocus(current, 'Save yours');
    await page.keyboard.press('Escape');
    await button(dialog(current), 'Keep editing').click();
    await current.leave('Keep theirs');
    const theirs = { id: 1, name: 'Rexx', categoryId: 7, status: 'sold' } as const;
    expect(await store.pets.get(1)).toEqual(theirs);
    await current.openAndFill('Open Rexx', { Name: 'Rex' });
    await store.pets.update(1, { categoryId: 8, status: 'available' });
    await button(dialog(current), 'Save').click();
    await current.pressUntil('Save yours', 'Rex was saved.');
    const saved = { id: 1, name: 'Rex', categoryId: 8, status: 'available' } as const;
    expect(await store.pets.get(1)).toEqual(saved);
    await current.openAndFill('Open Rex', { Name: 'Roy' });
    await dialog(current).getByRole('radio', { name: 'Pending' }).check();
    await store.pets.update(1, { name: 'Max', status: null });
    await button(dialog(current), 'Save').click();
    await dialog(current).getByRole('radio', { name: 'Name: Theirs' }).check();
    await dialog(current).getByRole('radio', { name: 'Status: Yours' }).check();
    await current.leave('Save the chosen values');
    expect(await store.pets.get(1)).toMatchObject({ name: 'Max', status: 'pending' });
    // A reservation loads the animal again in between.
    await store.pets.update(1, { status: 'available' });
    await row(current, 0).getByText('Available').waitFor();
    await current.openAndFill('Open Max', { Name: 'Roy' });
    await store.pets.update(1, { categoryId: 7 });
    await reserve(current);
    await dialog(current).getByText('Placed').waitFor();
    await current.pressUntilInside('Save', 'Someone else changed this animal');
    expect(await store.pets.get(1)).toMatchObject({ name: 'Max', categoryId: 7 });
  });

  test('in one field is decided by the user, and is shown again if a colleague changes the animal once more', async () => {
    await editBesideColleague({ name: 'Max', status: 'sold' });
    await expectFocus(current, 'Name: Theirs');
    await current.pressUntilInside('Save yours', 'Choose one value');
    await dialog(current).getByRole('radio', { name: 'Name: Theirs' }).press('Space');
    expect(await button(dialog(current), 'Save yours').count()).toBe(0);
    const yours = dialog(current).getByRole('radio', { name: 'Name: Yours' });
    await yours.check();
    const reading = current.page.waitForRequest((request) => request.url().includes('id=1'));
    const load = await holdRequests(current, '**/v1/pets?*id=1*');
    await current.store.pets.update(1, { name: 'Moritz', categoryId: 7 });
    // The reading of the page that follows an event prevents no press.
    await reading;
    const refused = current.page.waitForResponse((response) => response.status() === 412);
    await current.press('Save yours');
    await refused;
    load();
    await dialog(current).getByText('Dogs').waitFor();
    // What was decided about the name was about another one.
    expect(await yours.isChecked()).toBe(false);
    await yours.check();
    await current.pressUntil('Save yours', 'Rex was saved.');
    const saved = { name: 'Rex', status: 'sold', categoryId: 7 };
    expect(await current.store.pets.get(1)).toMatchObject(saved);
  });
});
