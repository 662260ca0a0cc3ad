import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process and its children use (Linux). */
export interface Usage {
  readonly memoryMib: number;
  readonly sockets: number;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** A descriptor may close in between. */
function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    return false;
  }
}

const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length;

/** The most memory of one of the processes, and the sockets of all. */
export function usageOf(pid: number): Usage {
  const all = [pid, ...childrenOf(pid)];
  const memory = all.map((one) =>
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]),
  );
  return {
    memoryMib: Math.round(Math.max(...memory) / 1024),
    sockets: all.reduce((sum, one) => sum + socketsOf(one), 0),
  };
}
