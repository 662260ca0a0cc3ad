/** A command fails if it cannot write its result, such as a key that is shown only once. */
import { expect, test } from 'bun:test';
import { closeSync, openSync, writeSync } from 'node:fs';
import { run } from '../../src/cli/program.ts';
import { collectedIo } from '../support/collected-io.ts';
import { createKey } from '../support/create-key.ts';
import { animalStore, commandOf, ONE_SENTENCE, runProgram, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

/** Runs a command in a shell, to use its redirections. */
const inShell = (args: readonly string[], redirection: string) =>
  runProgram(['sh', '-c', `${commandOf(...args).join(' ')} ${redirection}`]);

const FULL = /^animal-store: Standard output cannot be written: ENOSPC[^\n]*\.\n$/;

/** Runs a command in this process, whose standard output is a full disk. */
async function onFullDisk(...args: readonly string[]) {
  const { io, stderr } = collectedIo({});
  const full = openSync('/dev/full', 'w');
  Object.assign(io.streams, { write: async (bytes: Uint8Array) => writeSync(full, bytes) });
  const status = await run(args, io);
  closeSync(full);
  return { status, stderr: stderr() };
}

test.each(['--help', '--version', 'openapi', 'keys list', 'keys list --json', 'usage'])(
  '%s exits with status 1 and one sentence if it cannot print its result',
  async (command) => {
    await createKey(place.database);
    const at = command === 'openapi' ? [] : ['--database', place.database];
    const { status, stderr } = await onFullDisk(...command.split(' '), ...at);
    expect(stderr).toMatch(FULL);
    expect(status).toBe(1);
  },
);

test('keys create names the created key if it cannot print it', async () => {
  const args = ['keys', 'create', '--name', 'shop', '--database', place.database, '--json'];
  const { status, stderr } = await inShell(args, '>/dev/full');
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  expect(`${last}\n`).toMatch(ONE_SENTENCE);
  expect(last).toContain('cannot be written: ENOSPC');
  expect(last).toEndWith('Key 1 was created but could not be shown: revoke it.');
  expect(status).toBe(1);
  expect((await animalStore(['keys', 'revoke', '1', '--database', place.database])).status).toBe(0);
});

test('keys create names the created key if the reader of the pipe is gone', async () => {
  const command = commandOf('keys', 'create', '--name', 'shop', '--database', place.database);
  const script = `{ ${command.join(' ')}; echo "status $?" >&2; } | true`;
  const { stderr } = await runProgram(['sh', '-c', script]);
  expect(stderr).toEndWith(
    'animal-store: Standard output was closed by its reader. Key 1 was created but could not be shown: revoke it.\nstatus 1\n',
  );
});

test('a closed pipe, or a slow reader, is not an error', async () => {
  expect(await inShell(['openapi'], '| true')).toMatchObject({ stderr: '' });
  const slow = await inShell(['openapi'], '| (sleep 0.3; cat)');
  expect(JSON.parse(slow.stdout)).toHaveProperty('openapi');
});
