/** The first key, which has all scopes, is written to a file instead of standard error, and is never lost. */
import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hintOf } from '../../src/api-keys/api-key.ts';
import { createKeyring } from '../../src/cli/keys.ts';
import { readConfig, type SettingName } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { createFirstKey } from '../../src/server/first-key.ts';
import type { Database } from '../../src/storage/database.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { spawnGuarded } from '../support/guard.ts';
import { freePort } from '../support/postgres-home.ts';
import {
  animalStore,
  BARE,
  commandOf,
  ONE_SENTENCE,
  runProgram,
  startService,
  until,
  workplace,
} from '../support/process.ts';
import { canMount, withSmallDisk } from '../support/small-disk.ts';
import { useEach } from '../support/use-each.ts';
import { getStatus } from './connection.ts';
import { maintain, withFile } from './maintained.ts';

const place = useEach(workplace);

const KEY = /^ask_live_[0-9A-Za-z]{36}\n$/;

/** Creates the first key of a database as a start does. */
const createFirst = (database: Database, firstKeyFile: string) => {
  const config = readConfig(Object.keys(SETTINGS) as SettingName[], { firstKeyFile }, {});
  return createFirstKey(database, createKeyring('production'), config, () => {});
};

const countKeys = (path: string): number =>
  withFile(path, (database) => database.query('SELECT id FROM api_keys').all().length);

test('with workers, the key is in a file that only its owner can read, and is neither shown nor logged', async () => {
  const path = place.file("the first 'key'");
  const flags = ['--first-key-file', path, '--workers', '2'];
  await using service = await startService(place.database, flags);
  expect(readFileSync(path, 'utf8')).toMatch(KEY);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const curl = /^ {2}(curl .*)$/m.exec(service.stderr())?.[1] ?? '';
  const tried = await runProgram(['sh', '-c', `${curl} -s -w '\\n%{http_code}'`]);
  expect(tried.stdout).toBe('[]\n200');
  const { stdout, stderr } = await service.stop();
  expect(stderr).toContain(`The first API key is in ${path}.`);
  expect(stdout + stderr).not.toContain('ask_live_');
});

test.each([0, 300])(
  'a start leaves an existing file unchanged if another instance creates a key within %d ms',
  async (ms) => {
    const { database, file, files, write, read } = place;
    const opened = openSqlite(database);
    const created = sleep(ms).then(() => createKey(database));
    await write('key', 'mine');
    expect(await createFirst(opened, file('key'))).toBeUndefined();
    await created;
    await opened.close();
    expect(files()).toEqual(['animals.db', 'key']);
    expect(read('key').toString()).toBe('mine');
  },
);

test('a start that waits for such a key ends on SIGTERM as any other', async () => {
  const [key, port] = [await place.write('key', 'of another instance'), await freePort()];
  const flags = ['--database', place.database, '--port', `${port}`, '--first-key-file', key];
  const start = spawnGuarded(commandOf('serve', ...flags), { env: BARE, stderr: 'pipe' });
  const isOpen = () => fetch(`http://127.0.0.1:${port}/livez`).then(Boolean, () => false);
  await until(isOpen);
  start.kill('SIGTERM');
  expect([await start.exited, await new Response(start.stderr).text()]).toEqual([0, '']);
});

test('an existing file and a link to a missing one are rejected before a key is created', async () => {
  utimesSync(await place.write('old', 'mine'), 0, 0);
  symlinkSync(place.file('missing'), place.file('link'));
  const opened = openSqlite(place.database);
  for (const path of [place.file('old'), place.file('link')])
    await expect(createFirst(opened, path)).rejects.toThrow(
      `${path} already exists, so the first API key was not created`,
    );
  await opened.close();
  expect(countKeys(place.database)).toBe(0);
  expect(place.read('old').toString()).toBe('mine');
  expect(place.has('missing')).toBe(false);
});

test('a file in a missing folder is rejected with one sentence, and no key is created', async () => {
  const path = place.file('none/key');
  const serve = ['serve', '--port', '0', '--first-key-file', path];
  const { status, stdout, stderr } = await maintain(place.database, ...serve);
  expect(stdout).not.toContain('server_started');
  expect(stderr).toMatch(ONE_SENTENCE);
  expect(stderr).toContain(
    `The first API key was not created because it cannot be written to ${path}: ENOENT`,
  );
  expect(status).toBe(1);
  expect(countKeys(place.database)).toBe(0);
  expect(place.files()).toEqual(['animals.db']);
});

test.skipIf(!canMount)(
  'a full disk leaves no file and no key, and the next start creates the key',
  async () => {
    const disk = place.file('disk');
    mkdirSync(disk);
    await withSmallDisk(disk, '4k', async () => {
      const path = `${disk}/key`;
      await Bun.write(`${disk}/filling`, '.'.repeat(4096));
      const opened = openSqlite(place.database);
      await expect(createFirst(opened, path)).rejects.toThrow('ENOSPC');
      await opened.close();
      expect(readdirSync(disk)).toEqual(['filling']);
      expect(countKeys(place.database)).toBe(0);
      await Bun.file(`${disk}/filling`).delete();
      await using service = await startService(place.database, ['--first-key-file', path]);
      const key = readFileSync(path, 'utf8').trim();
      expect(await getStatus(service.origin, key, '/pets')).toBe(200);
      const { stdout, stderr } = await service.stop();
      expect(stderr).toContain(`The first API key is in ${path}.`);
      expect(stdout + stderr).not.toContain('ask_live_');

      expect(countKeys(place.database)).toBe(1);
    });
  },
);

test('a key that cannot be stored is in no file', async () => {
  const opened = openSqlite(place.database);
  withFile(place.database, (file) =>
    file.run(
      "CREATE TRIGGER full BEFORE INSERT ON api_keys BEGIN SELECT RAISE(ABORT, 'no more'); END",
    ),
  );
  await expect(createFirst(opened, place.file('key'))).rejects.toThrow();
  await opened.close();
  expect(place.files()).toEqual(['animals.db']);
});

test('a stored key is shown even if the workers then fail to start, and the next start writes no file', async () => {
  const { database, file, has } = place;
  const standby = ['--database-standby-urls', 'postgres://store@127.0.0.1:1/store'];
  const flags = ['--port', '0', '--database', database, '--workers', '2'];
  const { status, stderr } = await animalStore(['serve', ...flags, ...standby]);
  expect(status).toBe(1);
  const key = /^ {2}(ask_live_\w+)$/m.exec(stderr)?.[1] ?? '';
  await using next = await startService(database, ['--first-key-file', file('key')]);
  expect(await getStatus(next.origin, key, '/pets')).toBe(200);
  expect(has('key')).toBe(false);
});

test.each([
  ['a file of its own each', ['one', 'two']],
  ['the same file', ['one', 'one']],
])(
  'of two instances with %s that start simultaneously, one writes a file with the key that is stored',
  async (_what, names) => {
    const { file, files, read } = place;
    await using scratch = await openMigratedScratch();
    const instances = await Promise.all(names.map(() => scratch.open()));
    const created = await Promise.all(
      instances.map((database, index) => createFirst(database, file(names[index] ?? ''))),
    );
    const [written = '', ...others] = files();
    expect(others).toEqual([]);
    expect(created.filter(Boolean)).toEqual([{ file: file(written) }]);
    const keys = await instances[0]?.read.apiKeys.list(undefined, 2);
    expect(keys?.map(({ hint }) => hint)).toEqual([hintOf(read(written).toString().trim())]);
  },
);
