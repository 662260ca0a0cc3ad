import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import { animalStore, commandOf, runProgram, workplace } from '../support/process.ts';
import { canMount } from '../support/small-disk.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused, maintain, withFile } from './maintained.ts';

const place = useEach(workplace);

test.each(['serve --port 0', 'import ROWS', 'keys list'])(
  '%s rejects a file that is not a database with one sentence, and it stays unchanged',
  async (command) => {
    await place.write('animals.db', 'Dear diary, '.repeat(1000));
    const rows = await place.write('rows.ndjson', '');
    const before = { bytes: place.read('animals.db'), files: place.files() };
    const run = await maintain(place.database, ...command.replace('ROWS', rows).split(' '));
    expectRefused(run, 'animals.db');
    expect(place.files()).toEqual(before.files);
    expect(place.read('animals.db').equals(before.bytes)).toBeTrue();
  },
);

test.each([
  ...['serve --port 0', 'keys list', 'check', 'status', 'backup PLACE/a.db'],
  'copy --to PLACE/a.db --from DATABASE',
])('%s rejects a database that is a named pipe, without waiting for a writer', async (command) => {
  const { database, path, files } = place;
  await runProgram(['mkfifo', database]);
  const args = command.replace('PLACE', path).replace('DATABASE', database).split(' ');
  const run = await animalStore(args.includes('copy') ? args : [...args, '--database', database]);
  expect(run.stderr).toContain(`${database} is a pipe or a device: the database must be a file.\n`);
  expect(run.status).toBe(1);
  expect(files()).toEqual(['animals.db']);
});

test('restore rejects a named pipe as the backup and as the database, without waiting, and changes nothing', async () => {
  const { database, file, files } = place;
  await createKey(database);
  await animalStore(['backup', file('a.db'), '--database', database]);
  await runProgram(['mkfifo', file('pipe')]);
  const before = files();
  for (const [backup, target] of [
    [file('pipe'), database],
    [file('a.db'), file('pipe')],
  ] as const) {
    const run = await animalStore(['restore', backup, '--database', target]);
    expect(run.stderr).toBe(
      `animal-store: ${file('pipe')} is a pipe or a device: the database must be a file.\n`,
    );
    expect(run.status).toBe(1);
    expect(files()).toEqual(before);
  }
});

/** Runs a command whose list of mounts has a network file system for each. */
const ON_NETWORK =
  'sed "s/ - [^ ]*/ - nfs4/" /proc/self/mountinfo >mounts; mount --bind mounts /proc/$$/mountinfo; exec "$@"';

test.skipIf(!canMount)(
  'a database on a network mount is neither created nor changed, and a backup does not record its time there',
  async () => {
    const { database, path, file, files } = place;
    await createKey(database);
    const run = async (on: string, command: string) => {
      const args = commandOf(...command.split(' '), '--database', on);
      const program = ['unshare', '-m', 'sh', '-c', ON_NETWORK, 'sh', ...args];
      const { status, stderr } = await runProgram(program, { cwd: path });
      expect(stderr).toContain(`${on} is on a network mount (nfs4), where SQLite can lose changes`);
      return status;
    };
    expect(await run(database, 'backup a.db')).toBe(0);
    withFile(database, (opened) =>
      opened.run('INSERT INTO category_counts VALUES (9, 1, 0, 0, 0)'),
    );
    for (const command of ['keys list', 'check --repair'])
      expect(await run(database, command)).toBe(1);
    for (const command of ['keys create --name x', 'restore a.db'])
      expect(await run(file('new/animals.db'), command)).toBe(1);
    expect(files()).toEqual(['a.db', 'animals.db', 'mounts']);
  },
);
