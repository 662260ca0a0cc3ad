/** The ids of the child processes of a process. */
export const childrenOf = (pid: number): number[] =>
  Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
