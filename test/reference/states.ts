/** The pages of the reference in a real browser, in each state that looks different. */
import type { Browser, Page } from 'playwright-core';
import type { SocketService } from '../support/socket.ts';

const HEIGHT = 844;

/** A page whose policy permits axe. Other tests run the page with its policy. */
export async function openPage(
  browser: Browser,
  { origin }: SocketService,
  { colorScheme, width }: { readonly colorScheme: 'light' | 'dark'; readonly width: number },
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme,
    viewport: { width, height: HEIGHT },
    reducedMotion: 'reduce',
    bypassCSP: true,
  });
  return context.newPage();
}

/** `part` selects what the state adds to the page. */
type Check = (state: string, part?: string) => Promise<void>;

/** A search, on any page. */
export async function searchFor(page: Page, text: string, check: Check): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor();
  await check('search', 'search');
}

/** The operations that `useForms` sends. */
export const SENT = ['createPet', 'putCategory', 'deletePet'];

/** A request, a response, an error and a question, on the page of the operations. */
export async function useForms(page: Page, key: string, check: Check): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Forget the key' }).waitFor();
  const form = (id: string) => page.locator(`#${id} form.send`);
  await form('createPet').getByText('Headers', { exact: true }).click();
  await form('createPet').getByRole('button', { name: 'Send' }).click();
  await form('createPet').locator('.outcome', { hasText: '201' }).waitFor();
  await form('putCategory').getByLabel('categoryId').fill('x');
  await form('putCategory').getByRole('button', { name: 'Send' }).click();
  await form('putCategory').locator('.outcome.bad').waitFor();
  await check('responses', '#createPet form, #putCategory form, #key');
  await form('deletePet').getByLabel('petId').fill('1');
  await form('deletePet').getByRole('button', { name: 'Send' }).click();
  await page.getByRole('dialog', { name: 'Send this request?' }).waitFor();
  await check('question', 'dialog');
}
