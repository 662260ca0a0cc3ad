/** What ships has licences that allow it, with their texts. */
import { expect, test } from 'bun:test';
import { bunLicenses } from '../../scripts/bun-licenses.ts';
import { readPackage } from '../../scripts/third-party-licenses.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Files = Readonly<Record<string, string>>;

/** Calls a function with the path of a folder that has these files. */
async function withFiles<T>(files: Files, use: (path: string) => T): Promise<T> {
  const folder = temporaryFolder();
  try {
    for (const [name, text] of Object.entries(files)) await Bun.write(folder.file(name), text);
    return use(folder.path);
  } finally {
    folder.remove();
  }
}

const readNew = (files: Files) => withFiles(files, readPackage);

const metadata = (license?: string) => JSON.stringify({ name: 'a', version: '1.0.0', license });

test('a package with an allowed licence is listed with the texts of its licence and notice files', async () => {
  const files = { 'package.json': metadata('Apache-2.0'), 'LICENSE.txt': 'Terms', NOTICE: 'Names' };
  expect(await readNew(files)).toEqual({
    name: 'a',
    version: '1.0.0',
    license: 'Apache-2.0',
    notices: ['Terms', 'Names'],
  });
});

test.each([
  ['no licence', undefined, 'a has the licence undefined'],
  ['a licence that is not allowed', 'GPL-3.0-only', 'a has the licence GPL-3.0-only'],
])('a package with %s is refused', async (_what, license, message) => {
  const files = { 'package.json': metadata(license), LICENSE: 'Terms' };
  await expect(readNew(files)).rejects.toThrow(message);
});

test('a package without the text of its licence is refused', async () => {
  await expect(readNew({ 'package.json': metadata('MIT') })).rejects.toThrow(
    'a contains no licence file',
  );
});

const bunLicensesIn = (files: Files) => withFiles(files, (path) => bunLicenses('1.0.0', path));

test('the licences of Bun are its page and the text of each LGPL that the page names', async () => {
  const page = 'A is LGPL-2 licensed. | B | LGPL v2.1 | Per LGPL-2:';
  const files = { 'bun-1.0.0.md': page, 'LGPL-2.txt': 'Two', 'LGPL-2.1.txt': 'Two and one' };
  expect(await bunLicensesIn(files)).toEqual({
    page,
    lgpl: new Map([
      ['2', 'Two'],
      ['2.1', 'Two and one'],
    ]),
  });
});

test.each([
  ['the page of its version', { 'bun-0.9.0.md': 'MIT' }, 'bun-1.0.0.md is missing'],
  ['the text of an LGPL', { 'bun-1.0.0.md': 'LGPL-3' }, 'LGPL-3.txt is missing'],
])('Bun without %s is refused', async (_what, files: Files, message) => {
  await expect(bunLicensesIn(files)).rejects.toThrow(message);
});
