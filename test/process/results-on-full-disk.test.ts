/** A command fails if it cannot write its result, such as a key that is shown only once. */
import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import {
  animalStore,
  commandOf,
  ONE_SENTENCE,
  type Outcome,
  runProgram,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

/** Runs a command in a shell, to use its redirections. */
const inShell = (args: readonly string[], redirection: string): Promise<Outcome> =>
  runProgram(['sh', '-c', `${commandOf(...args).join(' ')} ${redirection}`]);

const FULL = /^animal-store: Standard output cannot be written: ENOSPC[^\n]*\.\n$/;

test('every command that cannot print its result exits with status 1 and one sentence', async () => {
  const { database } = place;
  await createKey(database);
  const at = ['--database', database];
  const commands = [
    ['openapi'],
    ['keys', 'list', ...at],
    ['keys', 'list', '--json', ...at],
    ['usage', ...at],
  ];
  for (const { status, stderr } of await Promise.all(
    commands.map((args) => inShell(args, '>/dev/full')),
  )) {
    expect(stderr).toMatch(FULL);
    expect(status).toBe(1);
  }
});

test.each(['', '--json'])(
  'keys create %s names the created key if it cannot print it',
  async (flag) => {
    const { database } = place;
    const args = ['keys', 'create', '--name', 'shop', '--database', database, flag];
    const { status, stderr } = await inShell(args, '>/dev/full');
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(`${last}\n`).toMatch(ONE_SENTENCE);
    expect(last).toContain('cannot be written: ENOSPC');
    expect(last).toEndWith('Key 1 was created but could not be shown: revoke it.');
    expect(status).toBe(1);
    const revoked = await animalStore(['keys', 'revoke', '1', '--database', database]);
    expect(revoked.status).toBe(0);
  },
);

test.each(['', '--json'])(
  'keys create %s names the created key if the reader of the pipe is gone',
  async (flag) => {
    const { database } = place;
    const command = commandOf('keys', 'create', '--name', 'shop', '--database', database, flag);
    const script = `{ ${command.join(' ')}; echo "status $?" >&2; } | true`;
    const { stderr } = await runProgram(['sh', '-c', script]);
    expect(stderr).toEndWith(
      'animal-store: Standard output was closed by its reader. Key 1 was created but could not be shown: revoke it.\nstatus 1\n',
    );
  },
);

test('a closed pipe, or a slow reader, is not an error', async () => {
  expect(await inShell(['openapi'], '| true')).toMatchObject({ stderr: '' });
  const slow = await inShell(['openapi'], '| (sleep 0.3; cat)');
  expect(JSON.parse(slow.stdout)).toHaveProperty('openapi');
});
