import { readFileSync } from 'node:fs';
import { type Outcome, type RunOptions, runProgram } from '../../test/support/process.ts';

/** The system calls that change files. A question mark allows that a processor does not have the call. */
const CHANGES = [
  ...['pwrite64', 'write', 'writev', 'pwritev', 'ftruncate', 'fallocate', 'copy_file_range'],
  ...['fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink'],
  ...['unlinkat', 'mkdir', 'mkdirat', 'chmod', 'fchmod', 'fchmodat', 'chown', 'fchown', 'fchownat'],
];

/** A system call before which a command is killed. strace counts the calls of each name and of each thread for itself. */
export interface Call {
  readonly name: string;
  /** From 1. */
  readonly nth: number;
  /** Whether only the first thread counts. Otherwise the thread that is the first to reach the number is meant. */
  readonly inFirstThread: boolean;
}

export const describeCall = ({ name, nth, inFirstThread }: Call): string =>
  `${name} ${nth} of ${inFirstThread ? 'the first' : 'another'} thread`;

/** How often each thread made each call, as strace recorded it. */
function countCalls(trace: string): Map<string, Map<string, number>> {
  const threads = new Map<string, Map<string, number>>();
  for (const [, thread = '', name = ''] of trace.matchAll(/^(\d+) +(\w+)\(/gm)) {
    const calls = threads.get(thread) ?? new Map<string, number>();
    threads.set(thread, calls.set(name, (calls.get(name) ?? 0) + 1));
  }
  return threads;
}

/**
 * The calls before which a command can be killed so that the files differ.
 * @param trace begins with the `execve` of the first thread.
 */
export function callsIn(trace: string): Call[] {
  const threads = [...countCalls(trace).values()];
  const [first = new Map<string, number>()] = threads;
  first.delete('execve');
  const others = new Map<string, number>();
  for (const calls of threads.slice(1))
    for (const [name, count] of calls) others.set(name, Math.max(count, others.get(name) ?? 0));
  // It only wakes threads.
  others.delete('write');
  const upTo = (calls: Map<string, number>, inFirstThread: boolean): Call[] =>
    [...calls].flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => ({ name, nth: index + 1, inFirstThread })),
    );
  return [...upTo(first, true), ...upTo(others, false)];
}

/** Runs a command to its end, and returns its calls. */
export async function recordCalls(
  command: readonly string[],
  record: string,
  options: RunOptions,
): Promise<Call[]> {
  const set = ['execve', ...CHANGES.map((name) => `?${name}`)].join();
  const traced = ['strace', '-f', '-qq', '-o', record, '-e', `trace=${set}`, ...command];
  const { status, stderr } = await runProgram(traced, options);
  if (status !== 0) throw new Error(stderr);
  return callsIn(readFileSync(record, 'utf8'));
}

/** Runs a command, which SIGKILL ends before a call. The status is then null. */
export function killBefore(
  { name, nth, inFirstThread }: Call,
  command: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  // strace 6.1 counts wrongly with --seccomp-bpf, which would be faster.
  const threads = inFirstThread ? [] : ['-f'];
  const injection = ['-e', `trace=${name}`, '-e', `inject=${name}:signal=KILL:when=${nth}`];
  const traced = ['strace', ...threads, '-qq', '-o', '/dev/null', ...injection, ...command];
  return runProgram(traced, options);
}
