/** After a power failure, a name must not lead to a file that is not on disk. */
import { test as anywhere, expect } from 'bun:test';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createKey } from '../support/create-key.ts';
import { commandOf, runProgram, startCommand, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { preloading } from './children.ts';
import { maintained } from './maintained.ts';

const place = useEach(workplace);

/** The executable of the drill preloads nothing, and the recorder reads the names of open files in /proc. */
const CAN_RECORD = process.env['TEST_EXECUTABLE'] === undefined && process.platform === 'linux';
const test = anywhere.skipIf(!CAN_RECORD);

const PRELOAD = fileURLToPath(new URL('./recorded-files.ts', import.meta.url));

/** A command that records what it does with files, and the variables that it needs. */
const recording = (args: readonly string[], database = place.database) => ({
  command: commandOf(...args, '--database', database),
  variables: { ...preloading(PRELOAD), RECORDED_FILES: place.file('recorded') },
});

/** What was recorded, with short names, without the removal of files that need not be on disk. */
const recordedSoFar = (): string[] =>
  place
    .read('recorded')
    .toString()
    .replaceAll(`${place.path}/`, '')
    .replaceAll(place.path, 'folder')
    .replaceAll(/\.animal-store-unfinished|\.\d+\.unfinished/g, '.unfinished')
    .replaceAll(/-replaced-[0-9TZ.]+/g, '-replaced')
    .split('\n')
    .filter((line) => line !== '' && (!line.startsWith('remove') || line.endsWith('-restoring')));

async function recorded(args: readonly string[], database?: string): Promise<string[]> {
  const { command, variables } = recording(args, database);
  const { status, stderr } = await runProgram(command, { variables });
  if (status !== 0) throw new Error(stderr);
  return recordedSoFar();
}

const size = (name: string): number => statSync(place.file(name)).size;

test('a backup is complete and on disk before it gets its name, which is on disk before the command ends', async () => {
  await createKey(place.database);
  expect(await recorded(['backup', place.file('a.db')])).toEqual([
    `sync a.db.unfinished ${size('a.db')}`,
    'rename a.db.unfinished a.db',
    'sync folder',
  ]);
});

test('a restore has its copy and its marker on disk before it renames files, and the new names before it removes the marker', async () => {
  await createKey(place.database);
  await maintained(place.database, 'backup', place.file('a.db'));
  expect(await recorded(['restore', place.file('a.db')])).toEqual([
    `sync animals.db.unfinished ${size('animals.db')}`,
    expect.stringMatching(/^sync animals\.db-restoring [1-9]\d*$/),
    'sync folder',
    'rename animals.db animals.db-replaced',
    'rename animals.db.unfinished animals.db',
    'sync folder',
    'remove animals.db-restoring',
    'sync folder',
  ]);
});

test('a restore that fails has the old names on disk before it removes the marker', async () => {
  await createKey(place.database);
  await maintained(place.database, 'backup', place.file('a.db'));
  // The old file cannot get the name that an interrupted restore has chosen.
  await place.write('animals.db-restoring', `${place.file('none/replaced')}\n`);
  await expect(recorded(['restore', place.file('a.db')])).rejects.toThrow('Nothing was');
  const last = ['sync folder', 'sync folder', 'remove animals.db-restoring', 'sync folder'];
  expect(recordedSoFar().slice(-4)).toEqual(last);
});

test('an export is complete and on disk before it replaces the previous one', async () => {
  await createKey(place.database);
  await place.write('a.csv', 'the export of yesterday');
  expect(await recorded(['export', '--output', place.file('a.csv')])).toEqual([
    `sync a.csv.unfinished ${size('a.csv')}`,
    'rename a.csv.unfinished a.csv',
  ]);
  expect(size('a.csv')).toBeGreaterThan(0);
});

test('the file of the first key, and its name, are on disk before the service is ready', async () => {
  const flags = ['serve', '--port', '0', '--first-key-file', place.file('key')];
  const { command, variables } = recording(flags);
  await using _service = await startCommand(command, { variables, showsKey: false });
  expect(recordedSoFar()).toEqual([`sync key ${size('key')}`, 'sync folder']);
});

test('the folders that a catalogue needs are on disk before it is created in them', async () => {
  const database = place.file('a/b/animals.db');
  const flags = ['keys', 'create', '--name', 'test'];
  expect(await recorded(flags, database)).toEqual(['sync a', 'sync folder']);
});
