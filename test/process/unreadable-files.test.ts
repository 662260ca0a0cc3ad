/** Files that are missing, or that the user of a command cannot read. */
import { expect, test } from 'bun:test';
import { rmSync, symlinkSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { animalStore, startService, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { addAnimals, maintain, maintained } from './maintained.ts';

const place = useEach(workplace);

const COMMANDS = ['check', 'status', 'migrate --check', 'keys list', 'export', 'backup', 'restore'];

test.each(COMMANDS)(
  '%s says that a file cannot be read, and not that it is missing',
  async (command) => {
    const { database, file, files } = place;
    // Like a folder without rights, also for root.
    symlinkSync('loop.db', file('loop.db'));
    const args = command.split(' ');
    const { status, stdout, stderr } =
      command === 'restore'
        ? await maintain(database, command, file('loop.db'))
        : await maintain(file('loop.db'), ...args, ...(command === 'backup' ? [database] : []));
    expect(stderr).toBe(`animal-store: ${file('loop.db')} cannot be read: ELOOP.\n`);
    expect([status, stdout]).toEqual([1, '']);
    expect(files()).toEqual(['loop.db']);
  },
);

const COMMANDS_AND_SERVE = [
  ...COMMANDS.filter((command) => command !== 'restore'),
  'serve --port 0',
];

test.each(COMMANDS_AND_SERVE)(
  '%s names the system call that failed, without a stack trace',
  async (command) => {
    const { database, file } = place;
    await createKey(database);
    symlinkSync('animals.db-wal', `${database}-wal`);
    const args = [...command.split(' '), ...(command === 'backup' ? [file('b.db')] : [])];
    const { status, stdout, stderr } = await animalStore([...args, '--database', database]);
    expect(stderr).toStartWith('animal-store: A system call failed: ELOOP: ');
    expect(stderr).toEndWith(` '${database}-wal'.\n`);
    expect([status, stdout]).toEqual([1, '']);
  },
);

test('the -wal of a removed file is a fault for check and backup, and restore says where it puts it', async () => {
  const { database, file, files } = place;
  await createKey(database);
  await addAnimals(database, 10);
  await maintained(database, 'backup', file('a.db'));
  await using service = await startService(database);
  await animalStore(['keys', 'create', '--name', 'x', '--database', database]);
  service.signal('SIGKILL');
  await service.ended();

  rmSync(database);
  const what = `the file is missing, but ${database}-wal contains changes to it`;
  const checked = await maintain(database, 'check');
  expect([checked.status, checked.stdout]).toEqual([1, `${what}\n`]);
  expect((await maintain(database, 'backup', file('b.db'))).stderr).toBe(
    `animal-store: ${what}\nanimal-store: ${database} has 1 fault. Nothing was backed up.\n`,
  );
  const { stderr } = await maintain(database, 'restore', file('a.db'));
  const wal = files().find((name) => name.endsWith('Z-wal')) ?? 'none';
  expect(stderr).toContain(`The replaced WAL is in ${file(wal)}.`);
  expect(await maintained(database, 'check')).toBe('No faults were found.\n');
});
