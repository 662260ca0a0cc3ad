/** Where the focus is after something has changed, and what a slow network may not break. */
import { describe, expect, test } from 'bun:test';
import {
  addAnimals,
  type Console,
  holdRequests,
  open,
  signIn,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectFocus, expectRows, focused, row } from './places.ts';

const current = useConsole();

/** Waits until the list with this name has the focus, or a part of it. */
const expectFocusedList = ({ page }: Console, name: string) =>
  page.locator(`[role=group].card[aria-label=${name}]:focus-within`).waitFor();

/** Presses Tab until an element has the focus, and then Enter. */
async function press(name: string): Promise<void> {
  const { page } = current;
  for (let tabs = 0; tabs < 60; tabs += 1) {
    if ((await focused(current)).startsWith(name)) return page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

describe('the focus', () => {
  test('goes to the list with a page change, once, which is announced, leads back from an empty page, and goes to the list after its row is deleted', async () => {
    const { page, store } = current;
    await addAnimals(current, 41);
    const release = await holdRequests(current, '**/v1/pets?*cursor*');
    await signIn(current);
    await row(current, 19).waitFor();
    const next = button(page, 'Next page');
    await next.press('Enter');
    // A second press changes nothing while the page is being loaded.
    await next.dispatchEvent('click');
    release();
    await button(page, 'Open Animal 2').waitFor();
    await expectFocusedList(current, 'Animals');
    await page.getByText('Page 2: 20 entries').waitFor({ state: 'attached' });
    await page.goBack();
    await button(page, 'Open Animal 41').waitFor();
    await page.goForward();
    await button(page, 'Open Animal 2').waitFor();
    await next.press('Enter');
    await button(page, 'Open Animal 1').waitFor();
    const shadow = await page.evaluate('getComputedStyle(document.activeElement).boxShadow');
    expect(shadow).toContain('0px 0px 0px 4px');
    await store.pets.delete(1);
    await page.getByText('This page is empty now').waitFor();
    await button(page, 'First page').or(button(page, 'Previous page')).click();
    await button(page, 'Open Animal 21').waitFor();
    await button(page, 'Open Animal 2').press('Enter');
    await button(dialog(current), 'Delete').press('Enter');
    await button(dialog(current), 'Delete').press('Enter');
    await button(page, 'Open Animal 2').waitFor({ state: 'detached' });
    await expectFocusedList(current, 'Animals');
  });

  test('begins at the key, reaches an animal, stays in a field that a colleague changes, and with the order that is reserved, which is announced, approved and sold', async () => {
    const { page, store, service } = current;
    await addAnimals(current, 1);
    await page.goto('/#/animals');
    // Keys before the field has the focus would be lost.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(service.key);
    await page.keyboard.press('Enter');
    await button(page, 'Open Animal 1').waitFor();
    await press('Open Animal 1');
    await dialog(current).getByLabel('Category').focus();
    await store.pets.update(1, { name: 'Rex' });
    await page.evaluate("window.dispatchEvent(new Event('offline'))");
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await dialog(current).getByRole('heading', { name: 'Rex' }).waitFor();
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Rex');
    expect(await page.evaluate('document.activeElement.value')).toBe('1');
    await press('Reserve');
    await dialog(current).getByLabel('Reference').press('Enter');
    // The rest of the page is hidden from a screen reader.
    await dialog(current).getByRole('status').filter({ hasText: 'Rex is reserved.' }).waitFor();
    await dialog(current).getByRole('radio', { name: 'Pending', checked: true }).waitFor();
    for (const [step, keys] of [
      ['Approve: Order 1', ['Tab', 'Tab']],
      ['Hand over: Order 1', ['Tab']],
    ] as const) {
      await button(dialog(current), step).waitFor();
      for (const key of keys) await page.keyboard.press(key);
      await expectFocus(current, step);
      await page.keyboard.press('Enter');
      await button(dialog(current), step).waitFor({ state: 'detached' });
    }
    await page.getByText('Order 1 is handed over.').waitFor({ state: 'attached' });
    await dialog(current).getByRole('radio', { name: 'Sold', checked: true }).waitFor();
    expect((await store.pets.get(1)).status).toBe('sold');
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Rex');
    await current.leave();
    await expectFocus(current, 'Open Rex');
  });

  test('stays on a button that waits for the service, and faults are announced', async () => {
    const { page } = current;
    const release = await holdRequests(current, '**/v1/pets');
    await signIn(current);
    await button(page, 'Add an animal').click();
    await button(dialog(current), 'Add an animal').press('Enter');
    const faults = await dialog(current).getByRole('alert').allInnerTexts();
    expect(faults).toEqual(['Enter a name.', 'Enter a category.']);
    await current.fill({ Name: 'Rex', Category: '1' });
    await button(dialog(current), 'Add an animal').press('Enter');
    await button(dialog(current), 'Saving…').press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Saving…');
    release();
    await page.getByText('Rex was added.').waitFor();
    await expectRows(current, ['Rex']);
    // How to copy a new key if the browser forbids it.
    await open(current, 'API keys');
    await current.openAndFill('Create an API key', { Name: 'web shop' });
    await current.pressUntilInside('Create an API key', 'It is shown only once.');
    await page.keyboard.press('Enter');
    await dialog(current).getByText('with the keyboard').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toMatch(/^ask_live_/);
  });
});
