/** A colleague deletes an animal while its dialog is open: nothing that was typed is lost. */
import { describe, expect, test } from 'bun:test';
import { expectNoViolations } from '../support/axe.ts';
import { failed, openNewRex, openRex, useConsole } from './console-page.ts';
import { button, dialog } from './places.ts';

const current = useConsole();

const GONE = 'Somebody has deleted this animal.';

const nameTyped = () => dialog(current).getByLabel('Name').inputValue();

async function addAgain(name: string, id: number): Promise<void> {
  await current.pressUntil('Add it again', `${name} was added.`);
  await dialog(current).waitFor({ state: 'detached' });
  expect(await current.store.pets.list().toArray()).toEqual([
    { id, name, categoryId: 1, status: 'available' },
  ]);
}

describe('an animal that a colleague deletes', () => {
  test('says so by itself, keeps what was typed, also during a conflict, and can be added again', async () => {
    const { page, store, expected } = current;
    expected.push(failed(400), failed(404), failed(412));
    await openNewRex(current);
    await dialog(current).getByLabel('Name').fill('Max');
    await store.pets.delete(1);
    await dialog(current).getByText(GONE).waitFor();
    const history = dialog(current).getByRole('region', { name: 'History' });
    await history.getByText('Deleted').waitFor();
    await expectNoViolations(page, 'a deleted animal', { part: 'dialog[open]' });
    expect(await nameTyped()).toBe('Max');
    for (const name of ['Save', 'Sell', 'Delete'])
      expect(await button(dialog(current), name).count()).toBe(0);
    await page.keyboard.press('Escape');
    await button(dialog(current), 'Keep editing').click();
    await addAgain('Max', 2);
    // The user decides about a conflict meanwhile.
    await current.openAndFill('Open Max', { Name: 'Mia' });
    await store.pets.update(2, { name: 'Bello' });
    await button(dialog(current), 'Save').click();
    await dialog(current).getByRole('radio', { name: 'Name: Yours' }).check();
    await store.pets.delete(2);
    await dialog(current).getByText(GONE).waitFor();
    await addAgain('Mia', 3);
    // The texts of a reservation stay where they are, and there is nothing to save.
    await openRex(current, 'Mia');
    await button(dialog(current), 'Reserve').click();
    await dialog(current).getByLabel('Note').fill('Comes on Monday.');
    await store.pets.delete(3);
    await page.getByText('This animal no longer exists.').waitFor();
    await current.pressUntilInside('Reserve', 'That did not work');
    expect(await dialog(current).getByLabel('Note').inputValue()).toBe('Comes on Monday.');
    await page.keyboard.press('Escape');
    await current.pressUntilInside('Discard', 'This animal no longer exists.');
    expect(await dialog(current).getByLabel('Name').count()).toBe(0);
    await current.leave('Close');
  });
});
