/** DATABASE_URL_FILE: a secret outside of the environment, and a password that changes without a restart. */
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import {
  animalStore,
  bearer,
  commandOf,
  postPet,
  startCommand,
  until,
  untilLogged,
  type Workplace,
  workplace,
} from '../support/process.ts';
import { useEach, useShared } from '../support/use-each.ts';
import { startWriters } from './connection.ts';
import { logged } from './logged.ts';
import { expectRefused } from './maintained.ts';
import { openPasswordScratch } from './password-scratch.ts';

const place = useEach(workplace);

const SECRET = 's3cr3t';

describe('with a real server that requires a password', () => {
  const scratch = useShared(() => openPasswordScratch('first'));

  const urlWith = (password: string, host = '127.0.0.1') =>
    `postgres://shop:${password}@${host}:${scratch.server.port}/${scratch.name}`;

  /** Replaces the password in the file, then at the server. */
  async function rotate(file: string, password: string): Promise<void> {
    writeFileSync(file, `${urlWith(password)}\n`);
    await scratch.sql.unsafe(`ALTER ROLE shop PASSWORD '${password}'`);
  }

  /** Without a wait for their ends: the service opens others meanwhile. */
  const endSessions = () =>
    scratch.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = ${scratch.name} AND application_name = 'animal-store'`;

  const serve = async (file: string, ...flags: readonly string[]) => {
    await scratch.sql.unsafe(`ALTER ROLE shop PASSWORD 'first'`);
    writeFileSync(file, `${urlWith('first')}\r\n`);
    const made = await animalStore([
      ...['keys', 'create', '--name', 'test', '--scopes', 'pets:read,pets:write'],
      ...['--database-url-file', file],
    ]);
    expect(made.status).toBe(0);
    const command = commandOf('serve', '--port', '0', ...flags);
    const variables = { DATABASE_URL_FILE: file };
    const service = await startCommand(command, { variables, showsKey: false });
    return { ...service, key: made.stdout.trim() };
  };

  test('a password changes under load without a failed request, in each worker', async () => {
    await using service = await serve(place.file('url'), '--workers', '2');
    const { origin, key } = service;
    const { written, finished } = startWriters({ origin, key }, 1);
    const failed: number[] = [];
    let reads = 0;
    let isStopping = false;
    const readers = Array.from({ length: 3 }, async () => {
      while (!isStopping) {
        const response = await fetch(`${origin}/v1/pets?limit=1`, bearer(key));
        await response.arrayBuffer();
        reads += 1;
        if (response.status !== 200) failed.push(response.status);
      }
    });
    const reading = Promise.all(readers);
    // A test that fails ends the service, and is to say why.
    reading.catch(() => {});
    await until(() => written.acknowledged.size > 0 && reads > 0);
    await rotate(place.file('url'), 'second');
    const before = written.acknowledged.size;
    await until(() => written.acknowledged.size > before + 10);
    expect(written.refused).toEqual([]);
    // From here on, the connections of writes are cut.
    await endSessions();
    await untilLogged(service, 'database_credentials_renewed');
    const readsBefore = reads;
    await until(() => reads > readsBefore + 30);
    isStopping = true;
    await reading;
    expect(failed).toEqual([]);
    expect((await postPet(origin, key, { name: 'Rex', categoryId: 1 })).status).toBe(201);
    const { status, stdout } = await service.stop();
    await finished;
    expect(status).toBe(0);
    // Only the transactions that were cut fail.
    expect(written.refused.every(({ status }) => status === 503)).toBe(true);
    expect(stdout).not.toContain('second');
    expect(logged(stdout, 'database_credentials_renewed')[0]).toMatchObject({
      'animal_store.database.url': `postgres://shop@127.0.0.1:${scratch.server.port}/${scratch.name}`,
    });
  });

  test('another server in the file is refused with a log line, until the file names the first one again', async () => {
    const { file } = place;
    await using service = await serve(file('url'));
    const read = async () => (await fetch(`${service.origin}/v1/pets`, bearer(service.key))).status;
    // Again and again: a session that was being opened would remain.
    const untilRefused = () =>
      until(async () => {
        await endSessions();
        return (await read()) === 503;
      });
    expect(await read()).toBe(200);
    writeFileSync(file('url'), urlWith('fourth', 'localhost'));
    await scratch.sql.unsafe(`ALTER ROLE shop PASSWORD 'fourth'`);
    await untilRefused();
    writeFileSync(file('url'), '');
    await untilRefused();
    writeFileSync(file('url'), urlWith('fourth'));
    expect(await read()).toBe(200);
    const { stdout } = await service.stop();
    const reason = 'More than the user and the password of the URL has changed: restart.';
    const rejected = logged(stdout, 'database_credentials_rejected');
    // The service may have read the file while it was being written.
    expect(rejected.map((line) => line['animal_store.reason'])).toContain(reason);
    expect(stdout).not.toContain(':fourth');
  });

  test('a URL in a flag is used with its own password, whatever file a variable names', async () => {
    await rotate(place.file('url'), 'first');
    const run = await animalStore(['export', '--database', urlWith('wrong')], {
      variables: { DATABASE_URL_FILE: place.file('url') },
    });
    expect(run.stderr).toContain('does not accept the password of the role "shop"');
    expect(run.status).toBe(1);
  });
});

test.each<[string, (place: Workplace) => unknown, string]>([
  ['a missing file', () => {}, 'cannot be read (ENOENT)'],
  ['a folder', ({ file }) => Bun.write(`${file('url')}/x`, ''), 'cannot be read (EISDIR)'],
  ['an empty file', ({ write }) => write('url', '\n'), 'is empty'],
  ['two lines', ({ write }) => write('url', `${SECRET}\n${SECRET}\n`), 'must contain one line'],
  ['an empty second line', ({ write }) => write('url', `${SECRET}\n\n`), 'must contain one line'],
  ['no URL', ({ write }) => write('url', SECRET), 'must be such as postgres://'],
  ['a URL of a file', ({ write }) => write('url', `file:${SECRET}`), 'must be such as postgres://'],
  ['a bad port', ({ write }) => write('url', `postgres://a:${SECRET}@b:x/c`), 'the port must be'],
])(
  '%s fails with status 2 and one sentence without its content',
  async (_what, prepare, sentence) => {
    await prepare(place);
    const path = place.file('url');
    for (const run of [
      await animalStore(['export'], { variables: { DATABASE_URL_FILE: path } }),
      await animalStore(['copy', '--from', 'a.db', '--to-url-file', path], { cwd: place.path }),
    ]) {
      expectRefused(run, sentence, 2);
      expect(run.stderr).toContain(path);
      expect(run.stderr).not.toContain(SECRET);
    }
  },
);

test('of a URL and a file of a URL, a flag takes precedence over the variable of the other', async () => {
  const variables = { DATABASE_URL: 'postgres://a@127.0.0.1:1/b', DATABASE_URL_FILE: '/none' };
  const byUrl = await animalStore(['export', '--database', 'none.db'], { variables });
  expect(byUrl.stderr).toContain('There is no database at none.db');
  const byFile = await animalStore(['export', '--database-url-file', '/none'], { variables });
  expect(byFile.stderr).toContain('--database-url-file: the file /none cannot be read');
});
