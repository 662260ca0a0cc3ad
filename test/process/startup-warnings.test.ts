/** Warnings on standard error when the service starts. They do not change its status. */
import { expect, test } from 'bun:test';
import { isLoopback } from '../../src/config/base-urls.ts';
import { startWarnings } from '../../src/server/start-warnings.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import {
  animalStore,
  commandOf,
  inWorkplace,
  startCommand,
  withService,
} from '../support/process.ts';

/** Starts and stops the service, and returns the warnings that it prints. */
async function warningsOf(args: readonly string[], showsKey: boolean): Promise<string[]> {
  const command = commandOf('serve', '--port', '0', ...args);
  return withService(await startCommand(command, { showsKey }), async (service) => {
    const { status, stderr } = await service.stop();
    expect(status).toBe(0);
    return stderr.split('\n').filter((line) => line.startsWith('animal-store: warning: '));
  });
}

const lasting = (keys: string) =>
  `animal-store: warning: ${keys}. Create keys with an expiry (keys create --expires 90d), and revoke the others.`;

test(
  'the service warns of keys without an expiry if other machines can reach it',
  inWorkplace(async ({ database }) => {
    const args = ['--database', database];
    const public_ = [...args, '--host', '0.0.0.0'];
    expect(await warningsOf(public_, true)).toEqual([lasting('1 API key never expires')]);
    await animalStore(['keys', 'create', '--name', 'second', ...args]);
    expect(await warningsOf([...public_, '--workers', '2'], false)).toEqual([
      lasting('2 API keys never expire'),
    ]);
    expect(await warningsOf(args, false)).toEqual([]);
    await animalStore(['keys', 'create', '--name', 'third', '--expires', '90d', ...args]);
    for (const id of ['1', '2']) await animalStore(['keys', 'revoke', id, ...args]);
    expect(await warningsOf(public_, false)).toEqual([]);
  }),
);

test('the service warns once of a PostgreSQL on another machine without TLS', async () => {
  await using scratch = await openMigratedScratch();
  const { port } = scratch.server;
  // This address leads to the own machine, but does not say so.
  const url = `postgres://postgres:s3cr3t@0.0.0.0:${port}/${scratch.name}`;
  const warning = `animal-store: warning: The connection to PostgreSQL at 0.0.0.0:${port} is not encrypted. Set sslmode=verify-full in its URL.`;
  expect(await warningsOf(['--database', url], true)).toEqual([warning]);
  expect(await warningsOf(['--database', url, '--workers', '2'], false)).toEqual([warning]);
  expect(await warningsOf(['--database', scratch.url], false)).toEqual([]);
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
