/** Files that spreadsheets and other programs write, in the console. */
import { expect, test } from 'bun:test';
import { FILE_CASES } from '../files/file-cases.ts';
import { button, dialog, signIn, useConsole } from './console-page.ts';

const current = useConsole();

async function chooseFile(name: string, text: string | Uint8Array): Promise<void> {
  const buffer = Buffer.from(text);
  const field = dialog(current).getByLabel('Choose a file, or drop it here');
  await field.setInputFiles({ name, mimeType: 'text/csv', buffer });
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

test('files that the command refuses are refused in its words, and the rest is shown', async () => {
  const { page } = current;
  await signIn(current);
  await button(page, 'Import').click();
  for (const what of ['a spreadsheet', 'UTF-16', 'Latin-1', 'a quoted cell of 9 MB'] as const) {
    const { name, bytes, refused = '' } = FILE_CASES[what] ?? { name: '', bytes: '' };
    await chooseFile(name, bytes);
    await dialog(current).getByText(sentence(refused)).waitFor();
  }
  await chooseFile('a.csv', 'name;category;;\nRex;1;;\nMia;1e2;;\na\0b;1;;\n;;;\n');
  await dialog(current).getByText('1 animal can be added. The delimiter is a semicolon.').waitFor();
  const faults = await dialog(current).getByRole('alert').textContent();
  expect(faults).toContain('Line 3: category: must be an integer in digits, but is 1e2.');
  expect(faults).toContain('Line 4: name: must not contain the character U+0000.');
  expect(faults).not.toContain('Line 5');
});
