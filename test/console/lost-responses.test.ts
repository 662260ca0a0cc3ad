/** Changes whose response is lost on the way, or that a colleague was faster with. */
import { expect, test } from 'bun:test';
import {
  addRex,
  type Console,
  enter,
  enterAt,
  failed,
  signIn,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectRows } from './places.ts';

const current = useConsole();

/** The service makes the changes of one method, and the browser gets no response to some of the attempts. */
async function loseResponses({ context, expected }: Console, method: string, attempts: number) {
  expected.push(/ERR_FAILED/, failed(412), failed(404));
  let lost = 0;
  await context.route('**/v1/{pets,categories,store/orders}{,/*}', async (route) => {
    if (route.request().method() !== method || lost >= attempts) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
}

/** Adds Rex. The page hears of no response. */
async function addRexInVain(): Promise<void> {
  await button(current.page, 'Add an animal').click();
  await dialog(current).getByLabel('Name').fill('Rex');
  await dialog(current).getByLabel('Category').fill('1');
  await loseResponses(current, 'POST', 2);
  await button(dialog(current), 'Add an animal').click();
  await dialog(current).getByText('The service cannot be reached.').waitFor();
}

test('an animal is added once although the user adds it again, and one whose name is edited is another', async () => {
  const { page } = current;
  await signIn(current);
  await addRexInVain();
  await page.getByText('1 in the catalogue').waitFor();
  await button(dialog(current), 'Add an animal').click();
  await page.getByText('Rex was added.').waitFor();
  await expectRows(current, 1);
  await addRexInVain();
  await dialog(current).getByLabel('Name').fill('Mia');
  const added = page.waitForResponse((response) => response.request().method() === 'POST');
  await button(dialog(current), 'Add an animal').click();
  expect(await (await added).json()).toMatchObject({ name: 'Mia' });
  await page.getByText('3 in the catalogue').waitFor();
});

test('a sold animal is saved, taken back after a question, and deleted, although each response is lost', async () => {
  const { page, store } = current;
  await addRex(current, 'sold');
  await loseResponses(current, 'PATCH', 1);
  await enterAt(current, 'Open Rex');
  await dialog(current).getByLabel('Name').fill('Max');
  await button(dialog(current), 'Save').click();
  await page.getByText('Max was saved.').waitFor();
  await button(page, 'Open Max').click();
  await button(dialog(current), 'Take back').click();
  await dialog(current).getByText('No delivered order of this animal exists.').waitFor();
  await page.keyboard.press('Enter');
  expect((await store.pets.get(1)).status).toBe('sold');
  await button(dialog(current), 'Take back').click();
  await dialog(current).getByText('No delivered order of this animal exists.').waitFor();
  await loseResponses(current, 'PATCH', 1);
  await button(dialog(current), 'Take back').click();
  await page.getByText('Max is available again.').waitFor();
  await loseResponses(current, 'DELETE', 1);
  await button(dialog(current), 'Delete').click();
  await dialog(current).getByText('This cannot be undone.').waitFor();
  await button(dialog(current), 'Delete').click();
  await page.getByText('Max was deleted.').waitFor();
});

test('a category is added once, renamed and deleted although the response is lost', async () => {
  const { page, store } = current;
  await loseResponses(current, 'PUT', 2);
  await enter(current, 'Categories');
  await button(page, 'Add a category').click();
  await dialog(current).getByLabel('Name').fill('Dogs');
  await button(dialog(current), 'Save').click();
  await dialog(current).getByText('The service cannot be reached.').waitFor();
  await expectRows(current, ['Dogs']);
  await button(dialog(current), 'Save').click();
  await page.getByText('Category Dogs was saved.').waitFor();
  expect(await store.categories.list().toArray()).toMatchObject([{ id: 1, name: 'Dogs' }]);
  await loseResponses(current, 'PUT', 1);
  await button(page, 'Rename: Dogs').click();
  await dialog(current).getByLabel('Name').fill('Cats');
  await button(dialog(current), 'Save').click();
  await page.getByText('Category Cats was saved.').waitFor();
  await loseResponses(current, 'DELETE', 1);
  await button(page, 'Delete: Cats').click();
  await button(dialog(current), 'Delete').click();
  await page.getByText('Category Cats was deleted.').waitFor();
});

test('the reason of a return is added once, and the texts of an order are saved, although the response is lost', async () => {
  const { page, store } = current;
  await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: 1, status: 'delivered' });
  await signIn({ ...current, start: '/#/orders?status=delivered' });
  await button(page, 'Open order 1').click();
  await button(dialog(current), 'Take back: Order 1').click();
  await dialog(current).getByLabel('Reason').fill('It bites.');
  await loseResponses(current, 'PATCH', 1);
  await button(dialog(current), 'Take back').click();
  await page.getByText('Order 1 is returned.').waitFor();
  expect((await store.orders.get(1)).note).toBe('It bites.');
  await dialog(current).getByLabel('Reference').fill('Ada');
  await loseResponses(current, 'PATCH', 1);
  await button(dialog(current), 'Save').click();
  await page.getByText('Order 1 was saved.').waitFor();
});

test('an animal that a colleague has changed is deleted only after the user has seen the change', async () => {
  const { page, context, store, expected } = current;
  expected.push(failed(412));
  // The page does not hear of the change before it deletes.
  await context.route('**/v1/events/stream*', () => {});
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await enterAt(current, 'Open Rex');
  await dialog(current).getByLabel('Name').fill('Max');
  await store.pets.update(1, { name: 'Not for sale' });
  await button(dialog(current), 'Delete').click();
  const refused = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await button(dialog(current), 'Delete').click();
  expect((await refused).status()).toBe(412);
  await dialog(current).getByText('That did not work').waitFor();
  await button(dialog(current), 'Keep it').click();
  await dialog(current).getByRole('heading', { name: 'Not for sale' }).waitFor();
  await button(dialog(current), 'Delete').click();
  await button(dialog(current), 'Delete').click();
  await page.getByText('Not for sale was deleted.').waitFor();
});
