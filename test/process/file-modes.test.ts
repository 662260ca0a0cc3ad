import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createKey } from '../support/create-key.ts';
import {
  commandOf,
  inWorkplace,
  runProgram,
  startCommand,
  withService,
} from '../support/process.ts';

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
  test(
    `with umask ${umask}, only the user can access a new database, its WAL, its index, and the folders created for it`,
    inWorkplace(async ({ file }) => {
      const database = file('new/folders/animals.db');
      await withService(await startCommand(withUmask(umask, serve(database))), async () => {
        for (const suffix of ['', '-wal', '-shm']) expect(modeOf(database + suffix)).toBe('600');
        expect(modeOf(file('new/folders'))).toBe('700');
        expect(modeOf(file('new'))).toBe('700');
      });
    }),
  );
}

test(
  'an existing database and folder keep their modes, and the WAL gets the mode of the database',
  inWorkplace(async ({ file }) => {
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
  }),
);

test(
  'the file of an export has the mode of the umask',
  inWorkplace(async ({ database, file }) => {
    await createKey(database);
    const rows = file('animals.ndjson');
    writeFileSync(file('one.ndjson'), '{"name":"Rex","categoryId":1}\n');
    const run = (...args: string[]) =>
      runProgram(withUmask('022', commandOf(...args, '--database', database)));
    expect((await run('import', file('one.ndjson'))).status).toBe(0);
    expect((await run('export', '--output', rows)).status).toBe(0);
    expect(modeOf(rows)).toBe('644');
  }),
);
