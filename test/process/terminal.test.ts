/** No name makes a terminal do anything: commands escape the control characters of names from elsewhere. */
import { expect, test } from 'bun:test';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../support/cause.ts';
import { createKey } from '../support/create-key.ts';
import { workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { maintain, withFile } from './maintained.ts';

const place = useEach(workplace);

/** Clears the screen, forges a row, turns the direction of text, moves it by marks, and sets a colour by one character of C1. */
const EVIL = 'a\u001b[2J\n9   admin  \u202e\u2066\u061c\u200e\u200f\u007f\u009b31mb';
const ESCAPED =
  'a\\u001b[2J\\u000a9   admin  \\u202e\\u2066\\u061c\\u200e\\u200f\\u007f\\u009b31mb';

/** What a terminal obeys, line breaks aside. */
const OBEYED = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** A catalogue of an earlier version, which accepted such names over HTTP. The key has called an operation. */
async function makeCatalogue(database: string): Promise<void> {
  await createKey(database);
  const opened = openSqlite(database);
  const call = { keyId: 1, operationId: 'getPet', calls: 1, lastCalledAt: 0 };
  await opened.write(BY_TEST, ({ usage }) => usage.add([call]));
  await opened.close();
  withFile(database, (file) => file.run('UPDATE api_keys SET name = ?', [EVIL]));
}

test.each([
  ['keys list', 2],
  ['usage --all', 2],
  ['keys rotate 1', 3],
  ['keys revoke 1', 1],
])('%s shows a name in one line, with its control characters escaped', async (command, lines) => {
  await makeCatalogue(place.database);
  const { status, stdout, stderr } = await maintain(place.database, ...command.split(' '));
  const shown = stdout + stderr;
  expect(status).toBe(0);
  expect(shown).not.toMatch(OBEYED);
  expect(shown).toContain(ESCAPED);
  expect(shown.trimEnd().split('\n')).toHaveLength(lines);
});

test.each(['keys list --json', 'usage --all --json'])(
  '%s prints JSON that means the same name, with the same escapes',
  async (command) => {
    await makeCatalogue(place.database);
    const { stdout } = await maintain(place.database, ...command.split(' '));
    expect(stdout).not.toMatch(OBEYED);
    const [shown] = JSON.parse(stdout) as { name?: string; keyName?: string }[];
    expect(shown?.name ?? shown?.keyName).toBe(EVIL);
  },
);

test('messages about a file show its path and its columns with their control characters escaped', async () => {
  const rows = place.file('rows\u001b[31m\n.csv');
  await place.write('rows\u001b[31m\n.csv', 'na\u009bme,categoryId\nRex,1\n');
  for (const args of [
    ['import', rows],
    ['import', `${rows}.missing`],
    ['restore', `${rows}.db`],
  ]) {
    const { status, stderr } = await maintain(place.database, ...args);
    expect(status).toBe(1);
    expect(stderr).not.toMatch(OBEYED);
    expect(stderr).toMatch(/\\u00(?:1b|9b)/);
    for (const line of stderr.trimEnd().split('\n')) expect(line).toStartWith('animal-store: ');
  }
});
