import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import {
  commandOf,
  inWorkplace,
  makeKey,
  runProgram,
  startCommand,
  TEST_LIMIT_MS,
  withService,
} from '../support/process.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A command line that runs under a umask. */
const under = (umask: string, command: readonly string[]): string[] => [
  'sh',
  '-c',
  `umask ${umask}; exec "$@"`,
  'sh',
  ...command,
];

const serve = (database: string) => commandOf('serve', '--port', '0', '--database', database);

for (const umask of ['000', '022', '077']) {
  test(
    `under the umask ${umask} a new database, its WAL and its index are for the user alone, and so are the folders made for it`,
    inWorkplace(async ({ file }) => {
      const database = file('new/folders/animals.db');
      await withService(await startCommand(under(umask, serve(database))), async () => {
        for (const end of ['', '-wal', '-shm']) expect(modeOf(database + end)).toBe('600');
        expect(modeOf(file('new/folders'))).toBe('700');
        expect(modeOf(file('new'))).toBe('700');
      });
    }),
    TEST_LIMIT_MS,
  );
}

test(
  'a database and a folder that are there already keep their modes, and the WAL gets that of the database',
  inWorkplace(async ({ file }) => {
    mkdirSync(file('there'));
    chmodSync(file('there'), 0o755);
    const database = file('there/animals.db');
    await makeKey(database);
    chmodSync(database, 0o640);
    const command = under('022', serve(database));
    await withService(await startCommand(command, { showsKey: false }), async () => {
      for (const end of ['', '-wal', '-shm']) expect(modeOf(database + end)).toBe('640');
      expect(modeOf(file('there'))).toBe('755');
    });
  }),
  TEST_LIMIT_MS,
);

test(
  'the file of an export has the mode that the umask leaves',
  inWorkplace(async ({ database, file }) => {
    await makeKey(database);
    const rows = file('animals.ndjson');
    writeFileSync(file('one.ndjson'), '{"name":"Rex","categoryId":1}\n');
    const run = (...args: string[]) =>
      runProgram(under('022', commandOf(...args, '--database', database)));
    expect((await run('import', file('one.ndjson'))).status).toBe(0);
    expect((await run('export', '--output', rows)).status).toBe(0);
    expect(modeOf(rows)).toBe('644');
  }),
  TEST_LIMIT_MS,
);
