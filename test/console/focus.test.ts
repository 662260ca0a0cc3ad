/** Where the focus is after something has changed, and what a slow network may not break. */
import { describe, expect, test } from 'bun:test';
import {
  addAnimals,
  type Console,
  enter,
  holdRequests,
  signIn,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectFocus, expectRows, row } from './places.ts';

const current = useConsole();

/** Waits until the list with this name has the focus, or a part of it. */
const expectFocusedList = ({ page }: Console, name: string) =>
  page.locator(`[role=group].card[aria-label=${name}]:focus-within`).waitFor();

describe('the focus', () => {
  test('goes to the list with a page change, which is announced, leads back from an empty page, and goes to the list after its row is deleted', async () => {
    const { page, store } = current;
    await addAnimals(current, 21);
    await signIn(current);
    await button(page, 'Next page').press('Enter');
    await button(page, 'Open Animal 1').waitFor();
    await expectFocusedList(current, 'Animals');
    await page.getByText('Page 2: 1 entry').waitFor({ state: 'attached' });
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

  test('stays in a field whose animal a colleague changes, and with the order while it is reserved, which is announced, approved and sold', async () => {
    const { page, store } = current;
    await addAnimals(current, 1);
    await signIn(current);
    await button(page, 'Open Animal 1').press('Enter');
    await dialog(current).getByLabel('Category').focus();
    await store.pets.update(1, { name: 'Rex' });
    await page.evaluate("window.dispatchEvent(new Event('offline'))");
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await dialog(current).getByRole('heading', { name: 'Rex' }).waitFor();
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Rex');
    expect(await page.evaluate('document.activeElement.value')).toBe('1');
    await button(dialog(current), 'Reserve').press('Enter');
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
    await dialog(current).getByRole('radio', { name: 'Sold', checked: true }).waitFor();
    expect((await store.pets.get(1)).status).toBe('sold');
    expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Rex');
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
  });
});

test('a second press of Next page changes nothing while the page is being loaded', async () => {
  const { page } = current;
  await addAnimals(current, 61);
  const release = await holdRequests(current, '**/v1/pets?*cursor*');
  await signIn(current);
  await row(current, 19).waitFor();
  const next = button(page, 'Next page');
  await next.click();
  await next.dispatchEvent('click');
  release();
  await button(page, 'Open Animal 41').waitFor();
  await page.getByText('Page 2', { exact: true }).waitFor();
  await page.goBack();
  await button(page, 'Open Animal 61').waitFor();
});

test('a screen reader hears how to copy a new key if the browser forbids it', async () => {
  const { page } = current;
  await enter(current, 'API keys');
  await current.openAndFill('Create an API key', { Name: 'web shop' });
  await current.pressUntilInside('Create an API key', 'It is shown only once.');
  await page.keyboard.press('Enter');
  await dialog(current).getByText('with the keyboard').waitFor();
  expect(await page.evaluate('getSelection().toString()')).toMatch(/^ask_live_/);
});
