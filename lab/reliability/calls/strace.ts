import { existsSync, readFileSync } from 'node:fs';
import { spawnGuarded } from '../../../test/support/guard.ts';
import { until } from '../../../test/support/process.ts';

/** A system call on a file. */
export interface Call {
  readonly name: string;
  /** How many bytes it was to read or write, and where. Undefined for other calls. */
  readonly bytes: number | undefined;
  readonly position: number | undefined;
  /** Negative: it failed. */
  readonly result: number;
  readonly isInjected: boolean;
}

/** What strace makes of the nth call: `error=EIO`, or `retval=0` without executing it. */
export interface Injection {
  readonly call: string;
  readonly effect: string;
  readonly nth: number;
}

const LINE = /^(?<name>\w+)\((?<args>.*)\) += (?<result>-?\d+)\b(?<rest>.*)$/;
const MOVED = /, (?<bytes>\d+), (?<position>\d+)$/;

/** Parses the output of strace about one thread. Lines about signals are left out, and an unfinished last line. */
export function parseCalls(output: string): Call[] {
  return output.split('\n').flatMap((line): Call[] => {
    const { name, args = '', result, rest = '' } = LINE.exec(line)?.groups ?? {};
    if (name === undefined) return [];
    const moved = /^p(?:read|write)64$/.test(name) ? MOVED.exec(args)?.groups : undefined;
    return [
      {
        name,
        bytes: moved && Number(moved['bytes']),
        position: moved && Number(moved['position']),
        result: Number(result),
        isInjected: rest.includes('(INJECTED)'),
      },
    ];
  });
}

export interface Tracer {
  /** The calls so far. */
  calls(): Call[];
  /** Ends the trace. The process goes on. */
  stop(): Promise<void>;
}

/** The arguments of strace for calls on some files, of which one may be made to fail. */
export function straceArguments(
  output: string,
  files: readonly string[],
  { calls, injection }: { readonly calls: string; readonly injection?: Injection | undefined },
): string[] {
  const inject = injection && `inject=${injection.call}:${injection.effect}:when=${injection.nth}`;
  return [
    ...['-o', output, '-s', '0', '-e', `trace=${calls}`, '-e', 'signal=none'],
    ...files.flatMap((file) => ['-P', file]),
    ...(inject === undefined ? [] : ['-e', inject]),
  ];
}

export const readCalls = (output: string): Call[] =>
  existsSync(output) ? parseCalls(readFileSync(output, 'utf8')) : [];

/**
 * Traces calls of a process on one file, and makes one of them fail. The main thread alone, which runs SQLite: strace counts the
 * calls of each thread apart.
 */
export async function trace(
  pid: number,
  output: string,
  file: string,
  options: { readonly calls: string; readonly injection?: Injection },
): Promise<Tracer> {
  const child = spawnGuarded(
    ['strace', '-p', `${pid}`, ...straceArguments(output, [file], options)],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  let errors = '';
  const finished = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) errors += decoder.decode(chunk, { stream: true });
  })();
  await until(() => / attached$/m.test(errors) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`strace: ${errors}`);
  return {
    calls: () => readCalls(output),
    async stop() {
      child.kill('SIGTERM');
      await Promise.all([child.exited, finished]);
    },
  };
}
