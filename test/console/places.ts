/** What a person sees on the console. */
import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { until } from '../support/process.ts';

interface Shown {
  readonly page: Page;
}

/** The topmost dialog. */
export const dialog = ({ page }: Shown): Locator => page.getByRole('dialog').last();

/** A row of the list that the screen shows, from 0. */
export const row = ({ page }: Shown, index: number): Locator =>
  page.locator('table.list tbody tr').nth(index);

/** The texts of the rows of the list that the screen shows. */
export const rowsOf = ({ page }: Shown): Promise<string[]> =>
  page.locator('table.list tbody tr').allInnerTexts();

/** A list passes through states that nobody waits for: repeats what is expected until it holds. */
export const eventually = (expectation: () => Promise<void>): Promise<void> =>
  until(async () => {
    const [{ status }] = await Promise.allSettled([expectation()]);
    return status === 'fulfilled';
  }).catch(expectation);

/** Waits until the places have these texts. */
export const expectTexts = (places: Locator, texts: unknown) =>
  eventually(async () => expect(await places.allInnerTexts()).toEqual<unknown>(texts));

/** Waits until the list has these rows, each by a part of its text, or so many. */
export const expectRows = (current: Shown, rows: number | readonly (string | RegExp)[]) =>
  eventually(async () => {
    const texts = await rowsOf(current);
    if (typeof rows === 'number') expect(texts).toHaveLength(rows);
    else expect(texts).toEqual(rows.map((part) => expect.stringMatching(part)));
  });

export const chooseFile = (current: Shown, name: string, text: string | Uint8Array) =>
  dialog(current)
    .getByLabel('Choose a file, or drop it here')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

/** Goes from the search field to the first result, and waits until it has the focus. */
export async function goToResults({ page }: Shown): Promise<void> {
  await page.keyboard.press('ArrowDown');
  await page.locator('table.list tbody :focus').waitFor();
}

/** What the focused element is called. */
export const focused = ({ page }: Shown): Promise<string> =>
  page.evaluate(
    "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? ''",
  );

/** Waits until the element with this name has the focus. */
export const expectFocus = (current: Shown, name: string) =>
  eventually(async () => expect(await focused(current)).toBe(name));

export const button = (place: Page | Locator, name: string): Locator =>
  place.getByRole('button', { name, exact: true });

/** What a person does. A dialog is the topmost one. */
export function actionsOf(page: Page) {
  const press = async (...names: string[]): Promise<void> => {
    for (const name of names) await button(dialog({ page }), name).click();
  };
  const fill = async (texts: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, text] of Object.entries(texts))
      await dialog({ page }).getByLabel(label).fill(text);
  };
  return {
    /** Presses buttons of the dialog, one after the other. */
    press,
    /** Fills fields of the dialog, by their labels. */
    fill,
    /** Presses a button of the dialog, and waits for a text of the page. */
    async pressUntil(name: string, text: string | RegExp): Promise<void> {
      await press(name);
      await page.getByText(text).waitFor();
    },
    /** Presses a button of the dialog, and waits for a text in the dialog. */
    async pressUntilInside(name: string, text: string | RegExp): Promise<void> {
      await press(name);
      await dialog({ page }).getByText(text).waitFor();
    },
    /** Leaves the only dialog, by a button or by Escape. */
    async leave(name?: string): Promise<void> {
      await (name === undefined ? page.keyboard.press('Escape') : press(name));
      await dialog({ page }).waitFor({ state: 'detached' });
    },
    /** Presses a button of the screen, and waits for a text of the page. */
    async clickUntil(name: string, text: string | RegExp): Promise<void> {
      await button(page, name).click();
      await page.getByText(text).waitFor();
    },
    /** Presses a button of the screen, and then buttons of the dialog that opens. */
    async clickAndPress(name: string, ...names: string[]): Promise<void> {
      await button(page, name).click();
      await press(...names);
    },
    /** Presses a button of the screen, and fills fields of the dialog that opens. */
    async openAndFill(name: string, texts: Readonly<Record<string, string>>): Promise<void> {
      await button(page, name).click();
      await fill(texts);
    },
  };
}
