import { expect, test } from 'bun:test';
import { parseCalls } from './strace.ts';

test('calls are read with their sizes, places, results and faults; the rest is left out', () => {
  const output = [
    'pwrite64(17</x/run.db-wal>, ""..., 4096, 8272) = 4096',
    'pread64(17</x/a, b.db-wal>, ""..., 32, 0) = 0',
    'fsync(17)                               = -1 EIO (Input/output error) (INJECTED)',
    'ftruncate(17, 0)                        = 0',
    '--- SIGCONT {si_signo=SIGCONT, si_code=SI_USER} ---',
    'pwrite64(17, ""..., 4096, 12',
  ].join('\n');
  const none = { bytes: undefined, position: undefined };
  expect(parseCalls(output)).toEqual([
    { name: 'pwrite64', bytes: 4_096, position: 8_272, result: 4_096, isInjected: false },
    { name: 'pread64', bytes: 32, position: 0, result: 0, isInjected: false },
    { name: 'fsync', ...none, result: -1, isInjected: true },
    { name: 'ftruncate', ...none, result: 0, isInjected: false },
  ]);
});
