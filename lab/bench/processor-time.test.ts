import { expect, test } from 'bun:test';
import { spawnGuarded } from '../../test/support/guard.ts';
import { parseStat, processorTime, processTree } from './processor-time.ts';

test('processor time is user and system time, with that of ended children', () => {
  const before = '4711 (a) b (c) S 1 2 3 4 5 6 7 8 9 10';
  expect(parseStat(`${before} 5 7 11 13 20 0 1`)).toBe(360_000);
});

test('processor time of a process includes its running and its ended children', async () => {
  const busy = 'while :; do :; done';
  const command = `timeout 0.2 sh -c '${busy}'; exec timeout 30 sh -c '${busy}'`;
  const child = spawnGuarded(['sh', '-c', `sh -c "${command}" & wait`]);
  try {
    // 200 ms are of a process that has ended, the rest of one that runs: neither of them is this child.
    while (processorTime(child.pid) < 300_000) await Bun.sleep(20);
    expect(child.exitCode).toBeNull();
  } finally {
    for (const pid of processTree(child.pid)) process.kill(pid, 'SIGKILL');
  }
});
