/** A colleague deletes an animal while its dialog is open: nothing that was typed is lost. */
import { describe, expect, test } from 'bun:test';
import type { Scope } from '../../sdk/src/index.ts';
import { checkAllAppearances } from '../support/axe.ts';
import { failed, issueKey, openNewRex, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole();

const GONE = 'Somebody has deleted this animal.';

/** Opens Rex, which the colleague can delete. */
async function openRex(scopes?: Scope[]): Promise<void> {
  current.expected.push(failed(404), failed(412));
  await openNewRex(current, scopes && (await issueKey(current, scopes)));
}

const nameTyped = () => dialog(current).getByLabel('Name').inputValue();

async function addAgain(): Promise<void> {
  await current.pressUntil('Add it again', 'Max was added.');
  await dialog(current).waitFor({ state: 'detached' });
  expect(await current.store.pets.list().toArray()).toEqual([
    { id: 2, name: 'Max', categoryId: 1, status: 'available' },
  ]);
}

describe('an animal that a colleague deletes', () => {
  test('says so by itself, keeps what was typed, and can be added again', async () => {
    const { page, store } = current;
    await openRex();
    await dialog(current).getByLabel('Name').fill('Max');
    await store.pets.delete(1);
    await dialog(current).getByText(GONE).waitFor();
    const history = dialog(current).getByRole('region', { name: 'History' });
    await history.getByText('Deleted').waitFor();
    await checkAllAppearances(page, 'a deleted animal');
    expect(await nameTyped()).toBe('Max');
    for (const name of ['Save', 'Sell', 'Delete'])
      expect(await button(dialog(current), name).count()).toBe(0);
    await page.keyboard.press('Escape');
    await button(dialog(current), 'Keep editing').click();
    await addAgain();
  });

  test('keeps what was typed if the page finds it out by the attempt to save', async () => {
    const { store } = current;
    await openRex(['pets:read', 'pets:write']);
    await dialog(current).getByLabel('Name').fill('Max');
    await store.pets.delete(1);
    await button(dialog(current), 'Save').click();
    await dialog(current).getByText(GONE).waitFor();
    expect(await nameTyped()).toBe('Max');
    expect(await dialog(current).getByRole('alert').count()).toBe(1);
    await addAgain();
  });

  test('while the user decides about a conflict can be added again, too', async () => {
    const { store } = current;
    await openRex();
    await dialog(current).getByLabel('Name').fill('Max');
    await store.pets.update(1, { name: 'Bello' });
    await button(dialog(current), 'Save').click();
    await dialog(current).getByRole('radio', { name: 'Name: Yours' }).check();
    await store.pets.delete(1);
    await dialog(current).getByText(GONE).waitFor();
    await addAgain();
  });

  test('leaves the texts of a reservation where they are, and nothing to save', async () => {
    const { page, store, expected } = current;
    expected.push(failed(400));
    await openRex();
    await button(dialog(current), 'Reserve').click();
    await dialog(current).getByLabel('Note').fill('Comes on Monday.');
    await store.pets.delete(1);
    await page.getByText('This animal no longer exists.').waitFor();
    await current.pressUntilInside('Reserve', 'That did not work');
    expect(await dialog(current).getByLabel('Note').inputValue()).toBe('Comes on Monday.');
    await page.keyboard.press('Escape');
    await current.pressUntilInside('Discard', 'This animal no longer exists.');
    expect(await dialog(current).getByLabel('Name').count()).toBe(0);
    await current.leave('Close');
  });
});
