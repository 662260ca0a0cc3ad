import { readdirSync, readFileSync } from 'node:fs';
import { BenchFailed } from './failure.ts';

/** /proc counts in hundredths of a second on all platforms of Linux. */
const TICK_MICROSECONDS = 10_000;

/** The positions of user and system time, of the process and of its ended children, after the name. */
const TIMES = [11, 12, 13, 14];

/** The processor time in a text of /proc/PID/stat, in µs: user and system, all threads, and ended children. */
export function parseStat(stat: string): number {
  // The name is in parentheses, and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIMES.reduce((sum, index) => sum + Number(fields[index]), 0) * TICK_MICROSECONDS;
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );

/** A process or thread may end while it is read. */
function unlessEnded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/** A process and all its descendants. */
export function processTree(pid: number): number[] {
  const children = unlessEnded(() => childrenOf(pid)) ?? [];
  return [pid, ...children.flatMap(processTree)];
}

const IS_LINUX = process.platform === 'linux';

/**
 * The processor time that a process and its descendants have used, in µs. It counts in steps of
 * 10 ms. NaN on systems other than Linux.
 */
export function processorTime(pid: number): number {
  if (!IS_LINUX) return Number.NaN;
  const times = processTree(pid).map((one) =>
    unlessEnded(() => parseStat(readFileSync(`/proc/${one}/stat`, 'utf8'))),
  );
  return times.reduce<number>((sum, time = 0) => sum + time, 0);
}

/** @throws BenchFailed on systems other than Linux. */
export function requireProcessorTime(): void {
  if (!IS_LINUX) throw new BenchFailed('Processor time is read from /proc: this needs Linux.');
}
