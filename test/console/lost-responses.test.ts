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
import { button, dialog, expectRows, expectTexts, row } from './places.ts';

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
  await current.fill({ Name: 'Rex', Category: '1' });
  await loseResponses(current, 'POST', 2);
  await current.pressUntilInside('Add an animal', 'The service cannot be reached.');
}

test('an animal is added once although the user adds it again, saved, taken back and deleted, although each response is lost', async () => {
  const { page, store } = current;
  await signIn(current);
  await addRexInVain();
  await page.getByText('1 in the catalogue').waitFor();
  await current.pressUntil('Add an animal', 'Rex was added.');
  await expectRows(current, 1);
  await addRexInVain();
  await dialog(current).getByLabel('Name').fill('Mia');
  const added = page.waitForResponse((response) => response.request().method() === 'POST');
  await button(dialog(current), 'Add an animal').click();
  expect(await (await added).json()).toMatchObject({ name: 'Mia' });
  await page.getByText('3 in the catalogue').waitFor();
  await store.pets.update(3, { status: 'sold' });
  await row(current, 0).getByText('Sold').waitFor();
  await loseResponses(current, 'PATCH', 1);
  await current.openAndFill('Open Mia', { Name: 'Max' });
  await current.pressUntil('Save', 'Max was saved.');
  await button(page, 'Open Max').click();
  await current.pressUntilInside('Take back', 'No delivered order of this animal exists.');
  await page.keyboard.press('Enter');
  expect((await store.pets.get(3)).status).toBe('sold');
  await current.pressUntilInside('Take back', 'No delivered order of this animal exists.');
  await loseResponses(current, 'PATCH', 1);
  await current.pressUntil('Take back', 'Max is available again.');
  await loseResponses(current, 'DELETE', 1);
  await current.pressUntilInside('Delete', 'This cannot be undone.');
  await current.pressUntil('Delete', 'Max was deleted.');
});

test('a category is added once, renamed and deleted, the reason of a return is added once, and the texts of an order are saved', async () => {
  const { page, store } = current;
  await loseResponses(current, 'PUT', 2);
  await enter(current, 'Categories');
  await current.openAndFill('Add a category', { Name: 'Dogs' });
  await current.pressUntilInside('Save', 'The service cannot be reached.');
  await expectRows(current, ['Dogs']);
  await current.pressUntil('Save', 'Category Dogs was saved.');
  expect(await store.categories.list().toArray()).toMatchObject([{ id: 1, name: 'Dogs' }]);
  await loseResponses(current, 'PUT', 1);
  await current.openAndFill('Rename: Dogs', { Name: 'Cats' });
  await current.pressUntil('Save', 'Category Cats was saved.');
  await loseResponses(current, 'DELETE', 1);
  await button(page, 'Delete: Cats').click();
  await current.pressUntil('Delete', 'Category Cats was deleted.');
  await addRex(current);
  await store.orders.place({ petId: 1, status: 'delivered' });
  await page.goto('/#/orders?status=delivered');
  await current.clickAndPress('Open order 1', 'Take back: Order 1');
  await dialog(current).getByLabel('Reason').fill('It bites.');
  await loseResponses(current, 'PATCH', 1);
  await current.pressUntil('Take back', 'Order 1 is returned.');
  expect((await store.orders.get(1)).note).toBe('It bites.');
  await dialog(current).getByLabel('Reference').fill('Ada');
  await loseResponses(current, 'PATCH', 1);
  await current.pressUntil('Save', 'Order 1 was saved.');
});

test('a page that does not hear of a colleague deletes no animal before the user has seen the change, and says what it finds out', async () => {
  const { page, context, store, expected } = current;
  expected.push(failed(404), failed(412), /ERR_FAILED/);
  // The page does not hear of the change before it deletes.
  await context.route('**/v1/events/stream*', () => {});
  await store.pets.create({ name: 'Rex', categoryId: 1 });
  await enterAt(current, 'Open Rex', { Name: 'Max' });
  await store.pets.update(1, { name: 'Not for sale' });
  await button(dialog(current), 'Delete').click();
  const refused = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await button(dialog(current), 'Delete').click();
  expect((await refused).status()).toBe(412);
  await dialog(current).getByText('That did not work').waitFor();
  await button(dialog(current), 'Keep it').click();
  await dialog(current).getByRole('heading', { name: 'Not for sale' }).waitFor();
  await button(dialog(current), 'Delete').click();
  expect(await dialog(current).getByRole('alert').count()).toBe(0);
  await current.pressUntil('Delete', 'Not for sale was deleted.');
  // An attempt to save finds it out, and nothing that was typed is lost.
  await store.pets.create({ name: 'Ida', categoryId: 1 });
  await store.pets.create({ name: 'Tom', categoryId: 1 });
  await page.reload();
  await current.openAndFill('Open Ida', { Name: 'Max' });
  await store.pets.delete(2);
  await current.pressUntilInside('Save', 'Somebody has deleted this animal.');
  expect(await dialog(current).getByLabel('Name').inputValue()).toBe('Max');
  expect(await dialog(current).getByRole('alert').count()).toBe(1);
  await current.pressUntil('Add it again', 'Max was added.');
  expect(await store.pets.get(4)).toEqual({ id: 4, name: 'Max', categoryId: 1 });
  await store.pets.delete(3);
  await button(page, 'Open Tom').click();
  await expectTexts(dialog(current).getByRole('alert'), ['This animal no longer exists.']);
  await current.leave();
  // A conflict that cannot be loaded is said.
  await current.openAndFill('Open Max', { Name: 'Roy' });
  await store.pets.update(4, { name: 'Moritz' });
  await context.route('**/v1/pets?*', (route) => route.abort());
  await current.pressUntilInside('Save', 'Somebody has changed it since.');
});
