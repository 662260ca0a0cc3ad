/** A delivery list is imported, and what a list shows is downloaded. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { BY_TEST } from '../support/cause.ts';
import { ROOT } from '../support/process.ts';
import { enterAt, failed, holdRequests, signInTo, useConsole } from './console-page.ts';
import { button, chooseFile, dialog, expectRows } from './places.ts';

const current = useConsole();

/** The texts of the rows that are left out. */
const leftOut = async (): Promise<string[]> =>
  (await dialog(current).getByRole('alert').allInnerTexts()).join().split('\n').filter(Boolean);

/** What the page saves when the button is pressed. */
async function download(name = 'Download'): Promise<string> {
  const { page } = current;
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return readFileSync(await saved.path(), 'utf8');
}

test('a list of animals is shown with its faults, can be corrected, and is imported by three clicks and a file; an import can be stopped and resumed, and adds no animal twice', async () => {
  const { page, context, store } = current;
  await store.categories.put(9223372036854775807n, { name: 'Rabbits' });
  const release = await holdRequests(current, '**/v1/categories?*');
  await enterAt(current, 'Import');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog(current).getByLabel('Choose a file, or drop it here').click(),
  ]);
  const buffer = Buffer.from('nom,category\nMimi,Rabbits\n');
  await chooser.setFiles({ name: 'delivery.csv', mimeType: 'text/csv', buffer });
  // No file can be chosen while one is read.
  await page.getByLabel('Choose a file').waitFor({ state: 'detached', timeout: 5000 });
  release();
  await dialog(current).getByText('one of them must be name: it has nom, category').waitFor();
  // A browser reports only another file than the one that the field has.
  const field = dialog(current).getByLabel('Choose a file, or drop it here');
  expect(await field.inputValue()).toBe('');
  // As the browser reports that the user chooses no file after all.
  await field.dispatchEvent('cancel', { bubbles: true });
  await chooseFile(current, 'delivery.csv', 'name,category\n"Mimi,Rabbits\n');
  await dialog(current).getByText('Line 2: a quote is misplaced or not closed.').waitFor();
  const rows = [
    '\uFEFFname,category,status',
    '"Mimi, the ""brown"" one",rabbits,available',
    ',Rabbits,',
    '',
    '"two\r\nlines",7,',
    'Max,Rabbit,',
    'Max,7,lost',
    'Max,7',
    'Moritz,7,Sold',
  ];
  await chooseFile(current, 'delivery.csv', rows.join('\r\n'));
  await dialog(current).getByText('3 animals can be added.').waitFor();
  await dialog(current).getByText('The delimiter is a comma.').waitFor();
  expect(await leftOut()).toEqual([
    'Rows with a fault, which are left out: 4',
    'Line 3: name: must not be empty or only white space.',
    expect.stringMatching(/^Line 7: category: No category/),
    'Line 8: status: must be one of available, pending, sold.',
    'Line 9: has 2 cells, but the first line has 3 (the delimiter is a comma).',
  ]);
  await dialog(current)
    .getByRole('row', { name: 'Mimi, the "brown" one Rabbits Available' })
    .waitFor();
  await current.pressUntilInside('Import', '3 animals were added.');
  await button(dialog(current), 'Close').last().click();
  await dialog(current).waitFor({ state: 'detached' });
  const id = 9223372036854775807n;
  expect(await store.pets.list().toArray()).toEqual([
    { id: 1, name: 'Mimi, the "brown" one', categoryId: id, status: 'available' },
    { id: 2, name: 'two\r\nlines', categoryId: 7 },
    { id: 3, name: 'Moritz', categoryId: 7, status: 'sold' },
  ]);
  await button(page, 'Open Moritz').waitFor();
  await button(page, 'Import').click();
  const lines = Array.from(
    { length: 2001 },
    (_, index) => `{"name":"Animal ${index}","categoryId":9223372036854775806}`,
  );
  await chooseFile(current, 'delivery.ndjson', `${lines.join('\n')}\n`);
  let parts = 0;
  const { promise: isSecond, resolve: second } = Promise.withResolvers<void>();
  const { promise: isStopped, resolve: stopped } = Promise.withResolvers<void>();
  await context.route('**/v1/pet-batches', async (route) => {
    parts += 1;
    const response = await route.fetch();
    if (parts > 1) {
      // The service has added this part, and the page does not know, even if it asks again.
      second();
      await isStopped;
    }
    await route.fulfill({ response }).catch(() => {});
  });
  await button(dialog(current), 'Import').click();
  await isSecond;
  await dialog(current).getByText('1,000 of 2,001 animals are stored.').waitFor();
  expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1000');
  await page.keyboard.press('Escape');
  await dialog(current).getByText('Stop the import?').waitFor();
  await current.press('Go on', 'Stop');
  await button(dialog(current), 'Resume').waitFor();
  expect(await button(dialog(current), 'Undo').count()).toBe(0);
  stopped();
  await current.pressUntilInside('Resume', '2,001 animals were added.');
  const stored = await store.pets.list({ limit: 100 }).toArray();
  expect(stored).toHaveLength(2004);
  expect(new Set(stored.map(({ name }) => name)).size).toBe(2004);
  expect(stored[2003]).toMatchObject({ categoryId: 9223372036854775806n });
});

test('a download says how far it is, can be cancelled, tells its failure, and has what the list shows on all its pages, but no formula', async () => {
  const { page, context, database, store, expected } = current;
  expected.push(failed(500));
  await store.categories.put(1, { name: '=Dogs' });
  await database.write(BY_TEST, ({ pets }) => {
    for (let index = 1; index <= 120; index += 1)
      pets.create({ name: `Rex ${index}`, categoryId: 1, status: 'available' });
  });
  await store.pets.create({ name: '=HYPERLINK("a,b")', categoryId: -9223372036854775808n });
  await store.pets.create({ name: 'Mia', categoryId: 1, status: 'sold' });
  await signInTo(current, 'Open Mia');
  const later = (url: URL) =>
    url.searchParams.get('limit') === '100' && url.searchParams.has('cursor');
  const release = await holdRequests(current, later);
  await current.clickUntil('Download', '100 rows');
  await button(page, 'Cancel the download').click();
  await button(page, 'Download').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  release();
  await context.unroute(later);
  await context.route(later, (route) => route.fulfill({ status: 500, body: '{}' }));
  await current.clickUntil('Download', 'The response has the status 500.');
  await context.unroute(later);
  const all = await download('Try again');
  expect(all.split('\n').slice(0, 3)).toEqual([
    '\uFEFFid,name,categoryId,category,status',
    "122,Mia,1,'=Dogs,sold",
    `121,"'=HYPERLINK(""a,b"")",-9223372036854775808,,`,
  ]);
  expect(all.trim().split('\n')).toHaveLength(123);
  await page.goto('/#/animals?status=available&name=120');
  await button(page, 'Open Rex 120').waitFor();
  const some = await download();
  expect(some.trim().split('\n').slice(1)).toEqual(["120,Rex 120,1,'=Dogs,available"]);
  await page.goto('/#/animals?status=unset&name=12');
  await page.getByText('No animal').first().waitFor();
  expect(await download()).toBe('\uFEFFid,name,categoryId,category,status\n');
  await store.orders.place({ petId: 1, reference: '+49 31', note: 'a\nb' });
  await store.orders.place({ petId: 2, reference: '1' });
  await page.goto('/#/orders?find=001');
  await expectRows(current, [/^1\b/]);
  expect((await download()).match(/^\d+/gm)).toEqual(['1']);
  await page.goto('/#/orders?find=1');
  await expectRows(current, [/^1\b/, /^2\b/]);
  const orders = await download();
  const stamp = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  expect(orders).toMatch(
    new RegExp(
      `^\uFEFFid,petId,status,createdAt,expiresAt,reference,note\n1,1,placed,${stamp},${stamp},'\\+49 31,"a\nb"\n2,2,placed,${stamp},${stamp},1,\n$`,
    ),
  );
});

test('a file of many rows has each of them once', async () => {
  // Its other function is for browsers only.
  const { collect } = await import(`${ROOT}console/transfer/list-file.ts`);
  const pages = [0, 9_000, 18_000, 27_000].map((first) =>
    Array.from({ length: 9_000 }, (_, at) => ({ id: first + at })),
  );
  const { blob, rows } = await collect(['id'], pages, () => {});
  expect(rows).toBe(36_000);
  const ids = (await blob.text()).trim().split('\n').slice(1);
  expect(ids).toEqual(Array.from({ length: 36_000 }, (_, id) => String(id)));
});
