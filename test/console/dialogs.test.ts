/** Closing a dialog: by Escape, by its buttons and by the browser's Back. It loses nothing without a question. */
import { describe, expect, test } from 'bun:test';
import {
  addAnimals,
  addRex,
  type Console,
  enter,
  enterAt,
  failed,
  holdRequests,
  open,
  openNewRex,
  openRex,
  reserve,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectFocus } from './places.ts';

const current = useConsole();

const nameIn = (place: Console): Promise<string> =>
  place.page.getByRole('dialog').first().getByLabel('Name').inputValue();

const back = ({ page }: Console) => page.evaluate('history.back()');

/** Reloads the page, and stays if the browser asks. Returns whether it asks. */
async function isAskedBeforeReload({ page }: Console): Promise<boolean> {
  const asked = page.waitForEvent('dialog').then(async (question) => {
    await question.dismiss();
    return true;
  });
  const reloaded = page.waitForEvent('domcontentloaded').then(() => false);
  await page.evaluate('void setTimeout(() => location.reload())');
  return Promise.race([asked, reloaded]);
}

describe('unsaved changes', () => {
  test('are kept while they are saved, or if the user does not delete the animal, and are discarded only after a question, which the keyboard reaches, or that of the browser before a reload', async () => {
    const { page } = current;
    const release = await holdRequests(current, '**/v1/pets/1');
    await openNewRex(current);
    await dialog(current).getByLabel('Name').fill('Max');
    await current.press('Delete', 'Keep it');
    expect(await nameIn(current)).toBe('Max');
    await button(dialog(current), 'Save').click();
    await button(dialog(current), 'Saving…').waitFor();
    await dialog(current).getByLabel('Name').focus();
    await page.keyboard.type('imilian');
    expect(await nameIn(current)).toBe('Max');
    await dialog(current).getByText('No status').click();
    await dialog(current).getByRole('radio', { name: 'Available', checked: true }).waitFor();
    release();
    await page.getByText('Max was saved.').waitFor();
    await current.openAndFill('Open Max', { Name: 'Mia' });
    expect(await isAskedBeforeReload(current)).toBe(true);
    expect(await nameIn(current)).toBe('Mia');
    for (const key of ['Escape', 'Enter', 'Escape', 'Escape']) {
      await page.keyboard.press(key);
      const isAsked = await page.getByText('Discard your changes?').count();
      expect(isAsked).toBe((await page.getByRole('dialog').count()) - 1);
    }
    expect(await nameIn(current)).toBe('Mia');
    expect(await page.evaluate('document.activeElement.value')).toBe('Mia');
    await button(dialog(current), 'Cancel').press('Enter');
    await expectFocus(current, 'Keep editing');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await dialog(current).waitFor({ state: 'detached' });
    await expectFocus(current, 'Open Max');
    expect(await current.store.pets.get(1)).toMatchObject({ name: 'Max' });
    expect(await isAskedBeforeReload(current)).toBe(false);
    // They are the only reason to ask, also before the form for a list.
    await current.openAndFill('Add an animal', { Name: 'Max' });
    await current.press('Add a list of names', 'Keep editing');
    expect(await nameIn(current)).toBe('Max');
    await current.press('Add a list of names', 'Discard');
    await dialog(current).getByLabel('Names').waitFor();
    await current.leave();
    await open(current, 'Categories');
    await button(page, 'Add a category').click();
    await current.leave('Cancel');
    await current.openAndFill('Add a category', { Name: 'Dogs' });
    await button(dialog(current), 'Close').click();
    await current.leave('Discard');
  });

  test('are kept if the user goes back in the history, or types another address; Back closes the dialog, and stays on the screen, also if the dialog was opened at once after another one', async () => {
    const { page, store, expected } = current;
    expected.push(failed(409));
    const send = await holdRequests(current, '**/v1/store/orders');
    await addRex(current);
    await enter(current, 'Orders');
    await open(current, 'Animals');
    await current.openAndFill('Open Rex', { Name: 'Max' });
    // An input method uses the key.
    const field = dialog(current).getByLabel('Name');
    await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
    expect(await page.getByText('Discard your changes?').count()).toBe(0);
    for (const leap of ['history.go(-2)', "location.hash = '#/orders'"]) {
      await page.evaluate(leap);
      await page.getByText('Discard your changes?').waitFor();
      await button(dialog(current), 'Keep editing').click();
      await page.getByRole('heading', { name: 'Animals' }).waitFor();
    }
    await current.pressUntil('Save', 'Max was saved.');
    await openRex(current, 'Max');
    await back(current);
    await dialog(current).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    await openRex(current, 'Max');
    await page.evaluate(`(async () => {
      const named = (name) => [...document.querySelectorAll('button')].find((button) => button.textContent === name);
      const moved = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
      named('Cancel').click();
      while (document.querySelector('dialog')) await Promise.resolve();
      named('Max').click();
      await moved;
      await new Promise((resolve) => setTimeout(resolve));
    })()`);
    await dialog(current).getByLabel('Name').waitFor();
    await back(current);
    await dialog(current).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Animals' }).waitFor();
    await current.openAndFill('Open Max', { Name: 'Mia' });
    for (const state of ['visible', 'detached', 'visible'] as const) {
      await back(current);
      await page.getByText('Discard your changes?').waitFor({ state });
    }
    await current.leave('Discard');
    // It leaves the screen after a dialog was closed in another way.
    await open(current, 'Orders');
    await open(current, 'Animals');
    await button(page, 'Open Max').click();
    await current.leave('Cancel');
    // The policy of the page permits no `waitForFunction` to look a second time.
    await page.evaluate(`new Promise((resolve) => {
      const look = () => (navigation.canGoForward ? resolve() : setTimeout(look));
      look();
    })`);
    await back(current);
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    // A dialog stays open until the animal is reserved, or shows why it is not.
    await open(current, 'Animals');
    await openRex(current, 'Max');
    await reserve(current);
    await button(dialog(current), 'Saving…').waitFor();
    await page.keyboard.press('Escape');
    await back(current);
    await store.orders.place({ petId: 1 });
    send();
    await dialog(current).getByText('That did not work').waitFor();
  });
});

test('a double click that opens an animal, or a key that is held, does not sell it', async () => {
  const { page, store } = current;
  await addAnimals(current, 20, 'Rex');
  await enterAt(current, 'Open Rex 20');
  const sell = button(dialog(current), 'Sell');
  const { x, y } = (await sell.boundingBox()) ?? { x: 0, y: 0 };
  await current.leave();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await page.mouse.move(x + 9, y + 9);
  for (const clickCount of [1, 2]) {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
    if (clickCount === 1) await sell.and(page.locator(':hover')).waitFor();
  }
  // A sale would end before the dialog can be left.
  await current.leave();
  await button(page, 'Open Rex 20').focus();
  await page.keyboard.down('Enter');
  await sell.and(page.locator(':focus')).waitFor();
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await current.leave();
  expect(await store.pets.list({ status: 'sold' }).toArray()).toEqual([]);
});

test('a new API key is not lost if the user closes the dialog too early, or reloads the page before it is shown, and can be copied without the button', async () => {
  const { page, context } = current;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const create = await holdRequests(current, '**/v1/api-keys');
  const rotate = await holdRequests(current, '**/v1/api-keys/*/rotate');
  await enter(current, 'API keys');
  await current.openAndFill('Create an API key', { Name: 'web shop' });
  await button(dialog(current), 'Create an API key').click();
  await button(dialog(current), 'Saving…').waitFor();
  for (const leave of ['Close', 'Cancel'])
    await button(dialog(current), leave).dispatchEvent('click');
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
  await back(current);
  expect(await page.getByRole('dialog').count()).toBe(1);
  create();
  await dialog(current).getByText('It is shown only once.').waitFor();
  await page.keyboard.press('Escape');
  await dialog(current).getByText('Close without copying it?').waitFor();
  await current.press('Go back', 'Copy');
  await button(dialog(current), 'Copied').waitFor();
  await current.leave('Done');
  await current.clickAndPress('Rotate: test', 'Rotate');
  expect(await isAskedBeforeReload(current)).toBe(true);
  rotate();
  await dialog(current).getByText('It is shown only once.').waitFor();
  await dialog(current).locator('output').selectText();
  await page.keyboard.press('ControlOrMeta+C');
  await current.leave('Done');
});
