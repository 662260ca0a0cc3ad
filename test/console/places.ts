/** What a person sees on the console. */
import type { Locator, Page } from 'playwright-core';

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

export const button = (place: Page | Locator, name: string): Locator =>
  place.getByRole('button', { name, exact: true });
