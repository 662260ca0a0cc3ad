import { spawnGuarded } from '../support/guard.ts';
import { BARE, commandOf, ROOT } from '../support/process.ts';

/** The variable with which a process loads a module first. */
export const preloading = (path: string) => ({
  BUN_OPTIONS: `--preload ${path.replaceAll(' ', String.raw`\ `)}`,
});

/** Two signals in a shorter time count as one. */
export const SIGNAL_PAUSE_MS = 200;

export const childrenOf = (pid: number): number[] =>
  Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

type Output = Bun.SpawnOptions.Readable;

/** Starts animal-store with these arguments, and leaves its signals and outputs to the test. */
export const spawnAnimalStore = <Out extends Output, Err extends Output>(
  args: readonly string[],
  outputs: { readonly stdout: Out; readonly stderr: Err },
) => spawnGuarded(commandOf(...args), { cwd: ROOT, env: BARE, stdin: 'ignore', ...outputs });
