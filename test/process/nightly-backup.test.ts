/** deploy/systemd/animal-store-backup: the backup of a night, its copy in another place, and the removal of old ones. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { animalStore, commandOf, ROOT, runProgram, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

const SCRIPT = join(ROOT, 'deploy/systemd/animal-store-backup');
/** A name of this form is a backup of a day. */
const OLD = ['2020-01-01', '2020-01-02', '2020-01-03'].map((day) => `animal-store-${day}.db`);
const OTHERS = [
  'animal-store-2020-01-01.db.txt',
  'before-upgrade.db',
  'my-animal-store-2020-01-01.db',
];

const TODAY = 'animal-store-2026-11-22.db';

/** A database with an animal, a folder with old backups and files of others, and an empty folder for copies. */
async function prepare(): Promise<void> {
  const rex = '{"name":"Rex","categoryId":1}\n';
  const args = ['import', '-', '--format', 'ndjson', '--database', place.database];
  expect((await animalStore(args, { input: rex })).status).toBe(0);
  await place.write('bin/animal-store', `#!/bin/sh\nexec ${commandOf('"$@"').join(' ')}\n`);
  // The clock of the script.
  await place.write('bin/date', '#!/bin/sh\nexec /bin/date -d 2026-11-22T03:00:00Z "$@"\n');
  for (const name of ['animal-store', 'date']) chmodSync(place.file(`bin/${name}`), 0o755);
  for (const name of [...OLD, ...OTHERS]) await place.write(`backups/${name}`, 'old');
  mkdirSync(place.file('offsite'));
}

const run = (variables: Readonly<Record<string, string>> = {}) =>
  runProgram([SCRIPT], {
    variables: {
      PATH: `${place.file('bin')}:${process.env['PATH']}`,
      DATABASE_URL: place.database,
      BACKUP_FOLDER: place.file('backups'),
      OFFSITE_COMMAND: `cp "$1" '${place.file('offsite')}/'`,
      BACKUP_DAYS: '2',
      ...variables,
    },
  });

const filesIn = async (folder: string): Promise<string[]> =>
  (await Array.fromAsync(new Bun.Glob('*').scan(place.file(folder)))).sort();

describe('the script of the nightly backup', () => {
  test('writes a backup, copies it, and removes all but the newest', async () => {
    await prepare();
    const { status, stderr } = await run();
    expect([status, stderr]).toEqual([0, expect.stringContaining('Backed up 1 animal,')]);
    const files = await filesIn('backups');
    expect(files).toEqual([...OTHERS, 'animal-store-2020-01-03.db', TODAY].sort());
    expect(await filesIn('offsite')).toEqual([TODAY]);
    const copy = ['export', '--database', place.file(`offsite/${TODAY}`)];
    expect((await animalStore(copy)).stdout).toBe('{"id":1,"name":"Rex","categoryId":1}\n');
    // A second run on the same day replaces the backup of the day.
    expect((await run()).status).toBe(0);
    expect(await filesIn('backups')).toEqual(files);
  });

  test.each([
    ['the backup fails', { DATABASE_URL: './missing.db', OFFSITE_COMMAND: '' }, 'missing.db'],
    ['the copy fails', { OFFSITE_COMMAND: 'exit 7' }, 'failed with status 7'],
    ['BACKUP_DAYS is zero', { BACKUP_DAYS: '0' }, 'BACKUP_DAYS must be'],
    ['BACKUP_DAYS is no number', { BACKUP_DAYS: '2d' }, 'BACKUP_DAYS must be'],
    ['no folder is named', { BACKUP_FOLDER: '' }, 'BACKUP_FOLDER'],
  ])('removes and copies nothing if %s', async (_name, variables, message) => {
    await prepare();
    const { status, stderr } = await run(variables);
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
    const files = await filesIn('backups');
    expect(files.filter((name) => name !== TODAY)).toEqual([...OLD, ...OTHERS].sort());
    expect(await filesIn('offsite')).toEqual([]);
  });

  test('neither counts nor removes files of later dates, which a wrong clock leaves', async () => {
    await prepare();
    const later = ['2999-01-01', '2999-01-02'].map((day) => `animal-store-${day}.db`);
    for (const name of later) await place.write(`backups/${name}`, 'later');
    expect((await run({ OFFSITE_COMMAND: '' })).status).toBe(0);
    const files = await filesIn('backups');
    expect(files).toEqual([...OTHERS, 'animal-store-2020-01-03.db', TODAY, ...later].sort());
    expect(await filesIn('offsite')).toEqual([]);
  });
});
