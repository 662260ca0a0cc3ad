/** Signals that end a process by default, and that have no meaning for the service. */
import { expect, test } from 'bun:test';
import { spawnGuarded } from '../support/guard.ts';
import { bearer, commandOf, startService, until, workplace } from '../support/process.ts';
import { childrenOf, isRunning } from './children.ts';
import { logged } from './logged.ts';

const IGNORED = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const;

const ignoredIn = (stdout: string): unknown[] =>
  logged(stdout, 'signal_ignored')
    .map((line) => line['animal_store.process.signal'])
    .sort();

test('with workers, each process ignores SIGHUP, SIGUSR1 and SIGUSR2, and logs them, and ignores SIGPIPE', async () => {
  using place = workplace();
  await using service = await startService(place.database, ['--workers', '2']);
  const { origin, firstKey = '', pid, stop } = service;
  const processes = [pid, ...childrenOf(pid)];
  for (const signal of [...IGNORED, 'SIGPIPE']) {
    for (const process_ of processes) process.kill(process_, signal);
  }
  for (let request = 0; request < 20; request += 1) {
    expect((await fetch(`${origin}/v1/pets`, bearer(firstKey))).status).toBe(200);
  }
  expect(processes.filter(isRunning)).toEqual(processes);
  const { status, stdout, stderr } = await stop();
  expect(status).toBe(0);
  const expected = IGNORED.flatMap((signal) => processes.map(() => signal));
  expect(ignoredIn(stdout)).toEqual(expected);
  // The runtime's inspector would print its address.
  expect(stderr).not.toMatch(/inspect|debug/i);
});

test('the signals are also ignored while the service waits for its database to start', async () => {
  let isConnected = false;
  const open = () => {
    isConnected = true;
  };
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open, data() {} } });
  const url = `postgres://store@127.0.0.1:${silent.port}/store`;
  const child = spawnGuarded(commandOf('serve', '--database', url, '--database-timeout', '4m'), {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await until(() => isConnected);
    for (const signal of IGNORED) child.kill(signal);
    let stdout = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true });
      if (stdout.endsWith('\n') && ignoredIn(stdout).length === IGNORED.length) break;
    }
    expect(ignoredIn(stdout)).toEqual([...IGNORED]);
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
});
