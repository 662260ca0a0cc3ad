/** Warnings on standard error when the service starts. They do not change its status. */
import { expect, test } from 'bun:test';
import { DATABASE_SETTINGS, openDatabase } from '../../src/cli/database.ts';
import { isLoopback } from '../../src/config/base-urls.ts';
import { readConfig } from '../../src/config/config.ts';
import { startWarnings } from '../../src/server/start-warnings.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { newKey } from '../storage/new-key.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { BY_TEST } from '../support/cause.ts';
import { collectedIo } from '../support/collected-io.ts';
import { animalStore, commandOf, startCommand, workplace } from '../support/process.ts';

/** Starts and stops the service, and returns the warnings that it prints. */
async function warningsOf(args: readonly string[], showsKey: boolean): Promise<string[]> {
  const command = commandOf('serve', '--port', '0', ...args);
  await using service = await startCommand(command, { showsKey });
  const { status, stderr } = await service.stop();
  expect(status).toBe(0);
  return stderr.split('\n').filter((line) => line.startsWith('animal-store: warning: '));
}

const warning = (sentence: string): string => `animal-store: warning: ${sentence}`;

const lasting = (keys: string) =>
  `${keys}. Create keys with an expiry (keys create --expires 90d), and revoke the others.`;

test('the service warns once of keys without an expiry that other machines can use, and of a PostgreSQL on another machine without TLS', async () => {
  await using scratch = await openMigratedScratch();
  const { port } = scratch.server;
  // This address leads to the own machine, but does not say so.
  const url = `postgres://postgres:s3cr3t@0.0.0.0:${port}/${scratch.name}`;
  const args = ['--database', url, '--host', '0.0.0.0'];
  const expected = [
    `The connection to PostgreSQL at 0.0.0.0:${port} is not encrypted. Set sslmode=verify-full in its URL.`,
    lasting('1 API key never expires'),
  ].map(warning);
  expect(await warningsOf(args, true)).toEqual(expected);
  expect(await warningsOf([...args, '--workers', '2'], false)).toEqual(expected);

  const warned: string[] = [];
  const config = readConfig([...DATABASE_SETTINGS], { database: scratch.url }, {});
  const checkService = (sentence: string) => warned.push(sentence);
  await (await openDatabase(collectedIo({}).io, scratch.url, config, { checkService })).close();
  expect(warned).toEqual([]);
});

test('a warning counts the keys without an expiry, unless they are revoked or only this machine reaches the service', async () => {
  using place = workplace();
  const keys = (...args: string[]) => animalStore(['keys', ...args, '--database', place.database]);
  for (const name of ['first', 'second']) await keys('create', '--name', name);
  const opened = openSqlite(place.database);
  const config = { host: '0.0.0.0', extensions: true, webhookSecretKeys: undefined };
  expect(await startWarnings(opened, config)).toEqual([lasting('2 API keys never expire')]);
  expect(await startWarnings(opened, { ...config, host: '127.0.0.1' })).toEqual([]);
  await keys('create', '--name', 'third', '--expires', '90d');
  for (const id of ['1', '2']) await keys('revoke', id);
  expect(await startWarnings(opened, config)).toEqual([]);
  // More than one page of keys.
  await opened.write(BY_TEST, ({ apiKeys }) => {
    for (let key = 4; key <= 1_003; key += 1) apiKeys.create(newKey(`key ${key}`));
  });
  expect(await startWarnings(opened, config)).toEqual([lasting('1000 API keys never expire')]);
  await opened.close();
});

test('a database that is lost during the check of the keys does not end the start, which would lose the first key', async () => {
  await using scratch = await openMigratedScratch();
  const database = await openPostgres(scratch.url);
  await database.close();
  const config = { host: '0.0.0.0', extensions: true, webhookSecretKeys: undefined };
  expect(await startWarnings(database, config)).toEqual([]);
});

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['localhost', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
  ['192.0.2.1', false],
])('%s is a loopback address: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
