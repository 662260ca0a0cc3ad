import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import { commandOf, runProgram, startCommand, withService, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A command line that runs with a umask. */
const withUmask = (umask: string, command: readonly string[]): string[] => [
  'sh',
  '-c',
  `umask ${umask}; exec "$@"`,
  'sh',
  ...command,
];

const serve = (database: string) => commandOf('serve', '--port', '0', '--database', database);

for (const umask of ['000', '022', '077']) {
  test(`with umask ${umask}, only the user can access a new database, its WAL, its index, and the folders created for it`, async () => {
    const { file } = place;
    const database = file('new/folders/animals.db');
    await withService(await startCommand(withUmask(umask, serve(database))), async () => {
      for (const suffix of ['', '-wal', '-shm']) expect(modeOf(database + suffix)).toBe('600');
      expect(modeOf(file('new/folders'))).toBe('700');
      expect(modeOf(file('new'))).toBe('700');
    });
  });
}

test('an existing database and folder keep their modes, and the WAL gets the mode of the database', async () => {
  const { file } = place;
  mkdirSync(file('existing'));
  chmodSync(file('existing'), 0o755);
  const database = file('existing/animals.db');
  await createKey(database);
  chmodSync(database, 0o640);
  const command = withUmask('022', serve(database));
  await withService(await startCommand(command, { showsKey: false }), async () => {
    for (const suffix of ['', '-wal', '-shm']) expect(modeOf(database + suffix)).toBe('640');
    expect(modeOf(file('existing'))).toBe('755');
  });
});

test('the file of an export has the mode of the umask', async () => {
  const { database, file } = place;
  await createKey(database);
  const rows = file('animals.ndjson');
  writeFileSync(file('one.ndjson'), '{"name":"Rex","categoryId":1}\n');
  const run = (...args: string[]) =>
    runProgram(withUmask('022', commandOf(...args, '--database', database)));
  expect((await run('import', file('one.ndjson'))).status).toBe(0);
  expect((await run('export', '--output', rows)).status).toBe(0);
  expect(modeOf(rows)).toBe('644');
});
