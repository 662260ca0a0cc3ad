/** The field of a category, by the pattern of an editable combobox. */
import { expect, test } from 'bun:test';
import { BY_TEST } from '../support/cause.ts';
import {
  type Console,
  enterAt,
  failed,
  holdRequests,
  overtakeNext,
  signIn,
  useConsole,
} from './console-page.ts';
import { button, dialog, expectRows, expectTexts, row } from './places.ts';

const current = useConsole();

const KINDS = ['Zebras', 'Cats', 'Rabbits', 'Rats', 'Rats and mice'];

async function openShop({ store }: Console): Promise<void> {
  for (const [index, name] of KINDS.entries()) await store.categories.put(index + 1, { name });
  for (const categoryId of [3, 3, 5])
    await store.pets.create({ name: `In ${categoryId}`, categoryId });
  await signIn(current);
  await row(current, 0).getByText('Rats and mice').waitFor();
}

const expectOptions = (...options: string[]) =>
  expectTexts(current.page.getByRole('option'), options);

test('a category is chosen from a list by the keyboard, and filters animals at once, or by a unique beginning of its name, or the field says why not', async () => {
  const { page, store } = current;
  await openShop(current);
  await current.openAndFill('Add an animal', { Name: 'Rex' });
  const field = dialog(current).getByRole('combobox', { name: 'Category' });
  await field.press('ArrowDown');
  await expectOptions(...KINDS);
  await expectTexts(page.getByRole('option', { selected: true }), ['Zebras']);
  await field.fill('ra');
  // An input method uses the key.
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await expectOptions('Rabbits', 'Rats', 'Rats and mice', 'Zebras');
  await field.press('ArrowUp');
  await field.press('ArrowUp');
  await field.press('ArrowUp');
  await expectTexts(page.getByRole('option', { selected: true }), ['Rats']);
  const marked = await field.getAttribute('aria-activedescendant');
  expect(await page.locator(`[id="${marked}"]`).textContent()).toBe('Rats');
  await field.press('Enter');
  await expectOptions();
  expect(await field.inputValue()).toBe('Rats');
  // A chosen category does not narrow the list down.
  await field.press('ArrowDown');
  await expectOptions(...KINDS);
  await field.press('Escape');
  await expectOptions();
  await field.press('Escape');
  await button(dialog(current), 'Keep editing').click();
  await field.fill('rab');
  await field.press('Enter');
  await page.getByText('Rex was added.').waitFor();
  expect(await store.pets.get(4)).toMatchObject({ categoryId: 3 });
  await filterByCategory();
});

async function filterByCategory(): Promise<void> {
  const { page } = current;
  const field = page.getByRole('combobox', { name: 'Category' });
  await field.click();
  await page.getByRole('option', { name: 'Rats and mice' }).click();
  await expectRows(current, 1);
  await field.fill('ra');
  await field.press('Enter');
  await page.getByText('begin so: Rabbits, Rats, and Rats and mice.').waitFor();
  // A whole name is clear, although another one begins so.
  await field.fill('rats');
  await field.press('Enter');
  await button(page, 'Open In 5').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('Rats');
  await page.waitForURL(({ hash }) => hash === '#/animals?category=4');
  await field.fill('');
  await button(page, 'Open In 5').waitFor();
  await field.fill('iguanas');
  expect(await page.getByRole('option').count()).toBe(0);
  await field.press('Tab');
  await page.getByText('No category with this name was found.').waitFor();
  await field.fill('rab');
  await field.press('Tab');
  await button(page, 'Open In 5').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('Rabbits');
  await page.waitForURL(({ hash }) => hash === '#/animals?category=3');
  await field.fill('');
  // An edit that chooses a category is not lost without a question.
  await button(page, 'Open In 5').click();
  await dialog(current).getByRole('combobox', { name: 'Category' }).click();
  await page.getByRole('option', { name: 'Cats' }).click();
  await page.keyboard.press('Escape');
  await page.getByText('Discard your changes?').waitFor();
}

test('a category that does not exist is created where it is typed, once, and nothing typed is lost; one that could not be created is no fault of the next one, and names that come late are shown', async () => {
  const { page, store, requests, expected } = current;
  expected.push(failed(412));
  await store.categories.put(7, { name: 'Cats' });
  await store.pets.create({ name: 'Rex', categoryId: 7 });
  const release = await holdRequests(current, '**/v1/categories?limit=100');
  await enterAt(current, 'Add an animal', { Name: 'Iggy' });
  const field = dialog(current).getByRole('combobox');
  await field.fill('Iguanas');
  await field.press('Enter');
  // It may be one of those that are not there yet.
  await dialog(current).getByRole('alert').filter({ hasText: 'Loading…' }).waitFor();
  release();
  await overtakeNext(current, '/categories/8', () => store.categories.put(8, { name: 'Birds' }));
  await field.fill('Newts');
  await page.getByRole('option', { name: 'Create the category “Newts”' }).click();
  const refusal = dialog(current).getByText('Somebody has changed it since.');
  await refusal.waitFor();
  await field.fill('Iguanas');
  await refusal.waitFor({ state: 'detached' });
  const put = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByRole('option', { name: 'Create the category “Iguanas”' }).dblclick();
  await put;
  // The dialog can be left once the new category is known.
  await button(dialog(current), 'Cancel').click({ trial: true });
  await current.pressUntil('Add an animal', 'Iggy was added.');
  expect(await store.pets.get(2)).toMatchObject({ name: 'Iggy', categoryId: 9 });
  expect(await store.pets.list().toArray()).toHaveLength(2);
  expect(requests.filter((request) => request.method() === 'PUT')).toHaveLength(2);
  expect((await store.categories.get(9)).name).toBe('Iguanas');
  // An animal is saved while the names are loaded, and nothing asks for them again.
  const names = await holdRequests(current, '**/v1/categories?limit=100');
  await page.reload();
  await current.openAndFill('Open Rex', { Name: 'Max' });
  await button(dialog(current), 'Save').click();
  await button(page, 'Open Max').waitFor();
  names();
  await row(current, 1).getByText('Cats').waitFor();
});

test('a name is not looked for without end if the categories cannot be loaded', async () => {
  const { page, expected } = current;
  expected.push(failed(404));
  await page.route('**/v1/categories?limit=100', (route) => route.fulfill({ status: 404 }));
  await enterAt(current, 'Add the first animal');
  await dialog(current).getByRole('combobox').fill('Iguanas');
  await dialog(current).getByRole('alert').filter({ hasText: '404' }).waitFor();
});

test('in a store with more than a thousand categories each has its name, and is found', async () => {
  const { page, store, database, requests } = current;
  await database.write(BY_TEST, ({ categories }) => {
    for (let id = 1; id <= 1100; id += 1) categories.create({ id, name: `Kind ${id}.` });
  });
  await store.pets.createMany([1050, 1051].map((categoryId) => ({ name: 'Rex', categoryId })));
  const load = await holdRequests(current, /\/v1\/(pets|store|categories\?limit)/);
  const release = await holdRequests(current, '**/v1/categories?name=*');
  // If it came after a list, all would be loaded again.
  page.waitForResponse('**/v1/events?*').then((newest) => newest.finished().then(() => load()));
  await signIn(current);
  await page.getByText('Kind 1050.').waitFor();
  await page.getByText('Kind 1051.').waitFor();
  const lists = () => requests.filter((request) => /\/categories\?/.test(request.url())).length;
  const before = lists();
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await page.getByText('Mia').waitFor();
  expect(lists()).toBe(before);
  await current.openAndFill('Add an animal', { Name: 'Max' });
  const asked = page.waitForRequest('**/v1/categories?name=*');
  await dialog(current).getByRole('combobox').fill('kind 1077');
  await asked;
  await expectOptions();
  release();
  await page.getByRole('option', { name: 'Kind 1077.' }).waitFor();
  await current.pressUntil('Add an animal', 'Max was added.');
  await row(current, 0).getByText('Kind 1077.').waitFor();
});
