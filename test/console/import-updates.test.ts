/** A file whose rows have the ids of animals changes these animals, and can be undone. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Pet } from '../../sdk/src/index.ts';
import { BY_TEST } from '../support/cause.ts';
import { failed, holdRequests, overtakeNext, signIn, useConsole } from './console-page.ts';
import { button, chooseFile, dialog, expectTexts } from './places.ts';

const current = useConsole();

const said = (text: string) => dialog(current).getByText(text).waitFor();
const press = (name: string) => button(dialog(current), name).click();

/** Opens the import of a file. */
async function choose(name: string, text: string): Promise<void> {
  await button(current.page, 'Import').click();
  await chooseFile(current, name, text);
}

async function close(): Promise<void> {
  await button(dialog(current), 'Close').last().click();
  await dialog(current).waitFor({ state: 'detached' });
}

const faults = () => dialog(current).getByRole('alert').getByRole('listitem');

const stored = (): Promise<Pet[]> => current.store.pets.list({ limit: 100 }).toArray();

test('a download changes what was edited in it, nothing without an edit, and its undo sets all back', async () => {
  const { page, store, database } = current;
  for (const [id, name] of ['Dogs', '=Cats', 'dogs'].entries())
    await store.categories.put(id + 1, { name });
  await database.write(BY_TEST, ({ pets }) => {
    for (let index = 1; index <= 110; index += 1)
      pets.create({ name: `Rex ${index}`, categoryId: 1 + (index % 2), status: 'available' });
  });
  await store.pets.createMany([
    { name: '=HYPERLINK("a,b")', categoryId: -9223372036854775808n },
    { name: 'two\r\nlines', categoryId: 3, status: 'sold' },
  ]);
  const before = await stored();
  await signIn(current);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download').click(),
  ]);
  const download = readFileSync(await saved.path(), 'utf8');
  await choose('animals.csv', download);
  await said('Update 0, add 0, unchanged 112.');
  expect(await dialog(current).getByRole('alert').count()).toBe(0);
  expect(await button(dialog(current), 'Import').count()).toBe(0);
  await press('Cancel');
  const edited = download
    .replace('\n9,Rex 9,2,', '\n9,Max,2,')
    .replace('\n8,Rex 8,1,Dogs,', '\n8,Rex 8,1,=Cats,')
    .replace('\n7,Rex 7,2,', '\n7,Rex 7,3,')
    .replace(/(\n6,.*),available/, '$1,');
  await choose('animals.csv', `${edited},Mimi,,=cats,\n`);
  await said('Update 4, add 1, unchanged 108.');
  await current.pressUntilInside('Import', '5 of 5 animals are stored.');
  const after = await stored();
  const changed = after.filter((pet) => !before.some((one) => Bun.deepEquals(one, pet)));
  expect(changed).toEqual([
    { id: 6, name: 'Rex 6', categoryId: 1 },
    { id: 7, name: 'Rex 7', categoryId: 3, status: 'available' },
    { id: 8, name: 'Rex 8', categoryId: 2, status: 'available' },
    { id: 9, name: 'Max', categoryId: 2, status: 'available' },
    { id: 113, name: 'Mimi', categoryId: 2 },
  ]);
  await current.pressUntilInside('Undo', '5 of 5 animals are set back.');
  expect(await button(dialog(current), 'Undo').count()).toBe(0);
  await close();
  expect(await stored()).toEqual(before);
});

test('a row that cannot change its animal is named by its line, and a missing column changes nothing', async () => {
  const { page, store, expected } = current;
  expected.push(failed(409));
  const names = ['Rex', 'Mia', 'Tom', 'Ada', 'Bo'];
  await store.pets.createMany(
    names.map((name) => ({ name, categoryId: 1, status: 'available' as const })),
  );
  await store.orders.place({ petId: 1 });
  await store.orders.place({ petId: 2, status: 'delivered' });
  await signIn(current);
  const rows = [
    '1,available',
    '2,available',
    '3,pending',
    '3,sold',
    '9,sold',
    '1e3,sold',
    '4,',
    ',sold',
  ];
  await choose('statuses.csv', `id,status\n${rows.join('\n')}\n5,pending\n`);
  await said('Update 4, add 0, unchanged 0.');
  await expectTexts(faults(), [
    'Line 3: status: this animal is sold. Take it back to make it available again.',
    'Line 5: id: 3 is on line 4, too.',
    'Line 6: id: no animal has the id 9.',
    expect.stringContaining('Line 7: id: must be an integer in digits, but is 1e3.'),
    'Line 9: name: is required (the row has id, status).',
  ]);
  await overtakeNext(current, '/pets/5', () => store.pets.update(5, { name: 'Bob' }));
  expected.push(failed(412));
  await current.pressUntilInside('Import', '2 of 2 animals are stored.');
  await expectTexts(faults().nth(0).or(faults().nth(1)), [
    expect.stringMatching(/^Line 2: Rex: .*order/),
    'Line 10: Bo: Somebody has changed it since.',
  ]);
  expect(await stored()).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'pending' },
    { id: 2, name: 'Mia', categoryId: 1, status: 'sold' },
    { id: 3, name: 'Tom', categoryId: 1, status: 'pending' },
    { id: 4, name: 'Ada', categoryId: 1 },
    { id: 5, name: 'Bob', categoryId: 1, status: 'available' },
  ]);
  await close();
  await choose('names.ndjson', '{"id":4,"name":"Eva"}\n{"id":3,"status":null}\n{"id":5}\n');
  await said('Update 2, add 0, unchanged 1.');
  await current.pressUntilInside('Import', '2 of 2 animals are stored.');
  expect((await stored()).slice(2)).toEqual([
    { id: 3, name: 'Tom', categoryId: 1 },
    { id: 4, name: 'Eva', categoryId: 1 },
    { id: 5, name: 'Bob', categoryId: 1, status: 'available' },
  ]);
  await button(page, 'Open Eva').waitFor();
});

test('updates stop and resume, and an undo leaves what a colleague has changed, by name', async () => {
  const { store, expected } = current;
  expected.push(failed(412));
  const names = Array.from({ length: 10 }, (_, index) => `Rex ${index + 1}`);
  await store.pets.createMany(names.map((name) => ({ name, categoryId: 1 })));
  await signIn(current);
  const release = await holdRequests(current, '**/v1/pets/*', 2);
  const rows = names.map((_name, index) => `${index + 1},,2`);
  await choose(
    'a.csv',
    `id,name,categoryId\n${rows.join('\n').replaceAll(',,', ',Max,')}\n,Mia,2\n`,
  );
  await said('Update 10, add 1, unchanged 0.');
  await current.pressUntilInside('Import', '2 of 11 animals are stored.');
  await press('Stop');
  release();
  await said('6 of 11 animals are stored.');
  await button(dialog(current), 'Undo').waitFor();
  await current.pressUntilInside('Resume', '11 of 11 animals are stored.');
  await store.pets.update(3, { name: 'Moritz' });
  await store.pets.update(11, { status: 'available' });
  await current.pressUntilInside('Undo', '9 of 11 animals are set back.');
  await expectTexts(faults(), [
    'Max: Somebody has changed it since.',
    'Mia: Somebody has changed it since.',
  ]);
  const all = await stored();
  expect(all.filter(({ categoryId }) => categoryId === 2).map(({ id }) => id)).toEqual([3, 11]);
});
