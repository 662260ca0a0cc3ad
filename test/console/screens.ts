/** The screens of the console, in each state that looks different. */
import { startReceiver } from '../support/webhook-receiver.ts';
import { type Console, failed, holdRequests, open, signIn } from './console-page.ts';
import { button, chooseFile, dialog, expectRows, row } from './places.ts';

/** Goes to each screen and dialog, and calls `check` there. */
export async function visitScreens(
  current: Console,
  check: (screen: string) => Promise<void>,
): Promise<void> {
  const { page, store, expected } = current;
  expected.push(failed(400), failed(401), failed(412), failed(429), /ERR_FAILED/);
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
  const long = 'W'.repeat(120);
  await store.pets.createMany(
    Array.from({ length: 18 }, (_, at) => ({ name: `Animal ${at + 1}`, categoryId: at + 4 })),
  );
  await store.pets.create({ name: long, categoryId: 9223372036854775807n, status: 'sold' });
  const rex = await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.pets.create({ name: 'Mia', categoryId: 1 });
  await store.categories.put(1, { name: 'Dogs' });
  await store.orders.place({ petId: rex.id });
  await page.goto('/#/animals');
  // The page hears of the new category some time later, and the preview of a file keeps what was known before.
  await page.reload();
  await page.getByRole('checkbox', { name: 'Select Rex' }).check();
  await check('animals, one of which is selected');
  await page.goto('/#/animals?status=pending');
  await expectRows(current, ['Rex']);
  await button(page, 'Add an animal').click();
  await button(dialog(current), 'Add an animal').click();
  await check('add an animal, with faults');
  await button(dialog(current), 'Add a list of names').click();
  await dialog(current).getByLabel('Names').fill(`Rex\n${long}`);
  await dialog(current).getByLabel('Category').press('ArrowDown');
  await check('add a list');
  await button(dialog(current), 'Cancel').click();
  await button(dialog(current), 'Discard').click();
  await button(page, 'Import').click();
  const rows = `name,category\n${long},Dogs\nRex,\n`;
  await chooseFile(current, 'delivery.csv', rows);
  await dialog(current).getByText('1 animal can be added.').waitFor();
  await check('the preview of a file');
  const release = await holdRequests(current, '**/v1/pet-batches');
  await current.pressUntilInside('Import', '0 of 1');
  await check('an import');
  release();
  await dialog(current).getByText('1 animal was added.').waitFor();
  await current.leave();
  await button(page, 'Open Rex').click();
  await dialog(current).getByText('Order 1').waitFor();
  await check('animal with an order');
  await dialog(current).getByLabel('Name').fill('Max');
  await store.pets.update(rex.id, { name: long, categoryId: 9223372036854775807n });
  await button(dialog(current), 'Save').click();
  await dialog(current).getByText('Someone else changed this animal').waitFor();
  await check('conflict, with a long name');
  await page.keyboard.press('Escape');
  await dialog(current).getByText('Discard your changes?').waitFor();
  await check('discard changes');
  await button(dialog(current), 'Discard').click();
  await dialog(current).waitFor({ state: 'detached' });
  await page.goto('/#/animals?category=1e3&status=lost&name=%CC%81');
  await page.getByText('A filter is not valid').waitFor();
  await page.getByText('accents and invisible characters alone find nothing').waitFor();
  await check('filters and a search that are not valid');
  await open(current, 'Categories');
  await row(current, 0).waitFor();
  await check('Categories');
  await page.goto('/#/orders?from=2020-01-01');
  await button(page, 'Open order 1').waitFor();
  await check('Orders, of some days');
  await current.openAndFill('Open order 1', { Note: 'Comes on Monday.' });
  const json = { code: 'rate_limited', message: 'Too many requests.', status: 429 };
  const wait = { status: 429, headers: { 'Retry-After': '50' }, json };
  await page.route('**/v1/store/orders/1', (route) => route.fulfill(wait));
  await current.pressUntilInside('Save', 'This page tries again at');
  await check('order, which waits');
  await current.press('Stop waiting');
  // The notice goes before the request ends, and until then the dialog cannot be left.
  await button(dialog(current), 'Save').waitFor();
  await page.keyboard.press('Escape');
  await current.leave('Discard');
  await open(current, 'API keys');
  await row(current, 0).waitFor();
  await check('API keys');
  await button(page, 'Create an API key').click();
  await check('create an API key');
  await dialog(current).getByLabel('Name').fill('web shop');
  await button(dialog(current), 'Create an API key').click();
  await dialog(current).getByText('It is shown only once.').waitFor();
  await check('secret');
  await page.keyboard.press('Escape');
  await button(dialog(current), 'Close').last().click();
  await open(current, 'Today');
  await page.getByText('Order 1').first().waitFor();
  await check('today');
  await using receiver = startReceiver();
  await store.webhookEndpoints.create({ url: receiver.url });
  receiver.respond = () => new Response(null, { status: 500 });
  await store.pets.create({ name: 'Max', categoryId: 1 });
  await page.route('**/v1/events/stream*', (route) => route.abort());
  await page.evaluate("for (const type of ['offline', 'online']) dispatchEvent(new Event(type))");
  await open(current, 'Usage');
  await page.getByText('The connection is lost.').waitFor();
  await check('usage, without a connection');
  await open(current, 'Webhooks');
  await button(page, 'Create an endpoint').click();
  await check('create an endpoint');
  await page.keyboard.press('Escape');
  await button(page, receiver.url).click();
  await dialog(current).getByText('next at').waitFor();
  await current.pressUntilInside('Test', 'did not accept a ping');
  await check('endpoint, which fails');
  await current.press('Replay');
  await check('replay');
}
