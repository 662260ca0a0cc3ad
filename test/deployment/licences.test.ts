/** What ships has licences that allow it, with their texts. */
import { expect, test } from 'bun:test';
import { readPackage } from '../../scripts/third-party-licenses.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function readNew(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  try {
    for (const [name, text] of Object.entries(files)) await Bun.write(folder.file(name), text);
    return readPackage(folder.path);
  } finally {
    folder.remove();
  }
}

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
