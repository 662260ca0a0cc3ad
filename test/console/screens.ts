/** The screens of the console, in each state that looks different. */
import { expectNoSidewaysScroll } from '../support/axe.ts';
import { sharedReceiver } from '../support/webhook-receiver.ts';
import { type Console, failed, open, signIn } from './console-page.ts';
import { button, dialog } from './places.ts';

/** Goes to each screen and dialog, and calls `check` there. */
export async function visitScreens(
  current: Console,
  check: (screen: string) => Promise<void>,
): Promise<void> {
  const { page, store, expected } = current;
  expected.push(failed(401), failed(412));
  await page.getByLabel('API key').fill('ask_live_wrong');
  await button(page, 'Sign in').click();
  await page.getByText('The service does not accept this API key.').waitFor();
  await check('sign-in');
  await signIn(current);
  await page.getByText('No animals yet').waitFor();
  await check('no animals');
  await open(current, 'Today');
  await button(page, 'Create an API key').waitFor();
  await check('first steps');
  await open(current, 'Animals');
  const long = 'W'.repeat(120);
  await store.pets.createMany(
    Array.from({ length: 18 }, (_, at) => ({ name: `Animal ${at + 1}`, categoryId: at + 4 })),
  );
  await store.pets.create({ name: long, categoryId: 9223372036854775807n, status: 'sold' });
  const rex = await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await store.categories.put(1, { name: 'Dogs' });
  await store.orders.place({ petId: rex.id });
  await page.reload();
  await button(page, 'Open Rex').waitFor();
  await check('animals');
  await button(page, `Open ${long}`).click();
  await dialog(current).getByLabel('Name').waitFor();
  await expectNoSidewaysScroll(page, 'animal with a long name');
  await page.keyboard.press('Escape');
  await button(page, 'Add an animal').click();
  await button(dialog(current), 'Add an animal').click();
  await check('add an animal, with faults');
  await button(dialog(current), 'Add a list of names').click();
  await dialog(current).getByLabel('Names').fill(`Rex\n${long}`);
  await dialog(current).getByLabel('Category').press('ArrowDown');
  await check('add a list');
  await button(dialog(current), 'Cancel').click();
  await button(dialog(current), 'Discard').click();
  await page.getByRole('checkbox', { name: 'Select Rex' }).check();
  await check('a selected animal');
  await button(page, 'Select none').click();
  await button(page, 'Open Rex').click();
  await dialog(current).getByText('Order 1').waitFor();
  await check('animal with an order');
  await page.keyboard.press('Escape');
  await button(page, `Open ${long}`).click();
  await button(dialog(current), 'Take back').click();
  await dialog(current).getByText('No delivered order').waitFor();
  await check('take back');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await button(page, 'Open Rex').click();
  await dialog(current).getByLabel('Name').fill('Max');
  await store.pets.update(rex.id, { name: long, categoryId: 9223372036854775807n });
  await button(dialog(current), 'Save').click();
  await dialog(current).getByText('Someone else changed this animal').waitFor();
  await check('conflict');
  await page.keyboard.press('Escape');
  await dialog(current).getByText('Discard your changes?').waitFor();
  await check('discard changes');
  await button(dialog(current), 'Discard').click();
  await open(current, 'Animals');
  await page.goto('/#/animals?category=1e3&status=lost');
  await page.getByText('A filter is not valid').waitFor();
  await check('filters that are not valid');
  await page.goto('/#/animals?name=%CC%81');
  await page.getByText('accents and invisible characters alone find nothing').waitFor();
  await check('a search that is not valid');
  await page.goto(`/#/animals?status=sold&name=${long.slice(0, 99)}X`);
  await page.getByText("No animal's name contains").waitFor();
  await check('a search that finds nothing');
  for (const screen of ['Orders', 'Categories', 'API keys']) {
    await open(current, screen);
    await page.getByRole('row').nth(1).waitFor();
    await check(screen);
  }
  await open(current, 'Orders');
  await button(page, 'Cancel order: Order 1').click();
  await check('cancel an order');
  await button(dialog(current), 'Go back').click();
  await button(page, 'Open order 1').click();
  await dialog(current).getByLabel('Note').waitFor();
  await check('order');
  await page.keyboard.press('Escape');
  await open(current, 'API keys');
  await button(page, 'Create an API key').click();
  await check('create an API key');
  await dialog(current).getByLabel('Name').fill('web shop');
  await button(dialog(current), 'Create an API key').click();
  await dialog(current).getByText('It is shown only once.').waitFor();
  await check('secret');
  await page.keyboard.press('Escape');
  await check('close without copying');
  await button(dialog(current), 'Close').last().click();
  await open(current, 'Today');
  await page.getByText('Order 1').first().waitFor();
  await check('today');
  await open(current, 'Usage');
  await check('usage');
  await open(current, 'Webhooks');
  await button(page, 'Create an endpoint').click();
  await check('create an endpoint');
  await page.keyboard.press('Escape');
  const url = sharedReceiver();
  await store.webhookEndpoints.create({ url });
  await store.pets.create({ name: 'Max', categoryId: 1 });
  await button(page, url).click();
  await dialog(current).getByText('Delivered').waitFor();
  await check('endpoint');
  await button(dialog(current), 'Replay').click();
  await check('replay');
}
