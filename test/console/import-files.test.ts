/** Files that spreadsheets and other programs write, in the console of a service that requires known categories. */
import { expect, test } from 'bun:test';
import { FILE_CASES } from '../files/file-cases.ts';
import { expectNoViolations } from '../support/axe.ts';
import { enterAt, failed, useConsole } from './console-page.ts';
import { button, chooseFile, dialog } from './places.ts';

const current = useConsole({ flags: { requireKnownCategory: 'on' } });

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

test('files that the command refuses are refused in its words, the rest is shown, and rows that the service refuses are named and left out', async () => {
  const { page, store, requests, expected } = current;
  expected.push(failed(400));
  await enterAt(current, 'Import');
  for (const what of ['a spreadsheet', 'Latin-1'] as const) {
    const { name, bytes, refused = '' } = FILE_CASES[what] ?? { name: '', bytes: '' };
    await chooseFile(current, name, bytes);
    await dialog(current).getByText(sentence(refused)).waitFor();
  }
  await chooseFile(current, 'a.csv', 'name;category;;\nRex;1;;\nMia;1e2;;\na\0b;1;;\n;;;\n');
  await dialog(current).getByText('1 animal can be added. The delimiter is a semicolon.').waitFor();
  const faults = await dialog(current).getByRole('alert').textContent();
  expect(faults).toContain('Line 3: category: must be an integer in digits, but is 1e2.');
  expect(faults).toContain('Line 4: name: must not contain the character U+0000.');
  expect(faults).not.toContain('Line 5');
  await button(dialog(current), 'Cancel').click();
  await button(page, 'Import').click();
  const rows = [7, 7].map((categoryId) => JSON.stringify({ name: 'Rex', categoryId }));
  await chooseFile(current, 'a.ndjson', rows.join('\n'));
  await current.pressUntilInside('Import', '0 animals were added.');
  expect(await dialog(current).getByRole('alert').textContent()).toContain(
    'Line 2: categoryId: is not a known category.',
  );
  // Nothing can be repeated.
  expect(await button(dialog(current), 'Resume').count()).toBe(0);
  expect(await store.pets.list().toArray()).toEqual([]);
  await current.leave();
  const before = requests.length;
  for (const id of [1, 2]) await store.categories.put(id, { name: `Known ${id}` });
  await button(page, 'Import').click();
  const unknown = (at: number) => (at % 100 === 99 ? 30 + (at % 11) : undefined);
  const many = Array.from(
    { length: 1100 },
    (_, at) => `Animal ${at},${unknown(at) ?? 1 + (at % 2)}`,
  );
  await chooseFile(current, 'a.csv', ['name,categoryId', ...many].join('\n'));
  await dialog(current).getByText('1,100 animals can be added.').waitFor();
  await button(dialog(current), 'Import').click();
  await button(dialog(current), 'Import the rest').waitFor();
  const left = dialog(current).getByRole('alert');
  expect(await left.textContent()).toContain('Line 101: categoryId: is not a known category.');
  expect(await store.pets.list().toArray()).toEqual([]);
  await current.pressUntilInside('Import the rest', '1,089 animals were added.');
  await button(dialog(current), 'Undo').waitFor();
  await expectNoViolations(page, 'an import without some rows', { part: 'dialog[open]' });
  expect(await left.textContent()).toContain('which are left out: 11');
  const names = (await store.pets.list({ limit: 100 }).toArray()).map(({ name }) => name);
  expect(names).toEqual(
    many.flatMap((_row, at) => (unknown(at) === undefined ? [`Animal ${at}`] : [])),
  );
  const sent = requests.slice(before).filter((request) => request.url().includes('batch'));
  expect(sent.length).toBeLessThan(6);
});
