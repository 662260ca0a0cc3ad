/** A system call that strace recorded. The times are lines of the trace. */
export interface Call {
  readonly name: string;
  /** As strace prints them with `-xx`: all texts are in hexadecimal, so none contains a quotation mark or a comma. */
  readonly args: string;
  /** The line on which it begins. */
  readonly start: number;
  /** The line on which it ends; infinite if the process ended before. */
  readonly end: number;
  /** Negative if it failed, undefined if it did not end. */
  readonly result: number | undefined;
  /** The path of the descriptor that it returns. */
  readonly opened: string | undefined;
}

type OpenCall = { -readonly [Field in keyof Call]: Call[Field] };

const UNFINISHED = ' <unfinished ...>';
const BEGIN = /^(\w+)\(/;
const RESUMED = /^<\.\.\. \w+ resumed>/;
const RESULT = /\) += (-?\d+|\?)(?:<((?:\\x[0-9a-f]{2})*)>)?[^"<>]*$/;

/** Parses the output of `strace -f -y -xx -o FILE`. Calls of several threads overlap: strace prints the begin and the end of these apart. */
export function parseTrace(text: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<string, OpenCall>();
  for (const [line, content] of text.split('\n').entries()) {
    // The thread, and two blanks after a short number.
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(content) ?? [];
    const begun = RESUMED.test(rest) ? unfinished.get(thread) : undefined;
    const call = begun ?? beginCall(rest, line);
    if (call === undefined) continue;
    if (begun === undefined) calls.push(call);
    const end = rest.replace(begun === undefined ? BEGIN : RESUMED, '');
    if (end.endsWith(UNFINISHED)) {
      call.args += end.slice(0, -UNFINISHED.length);
      unfinished.set(thread, call);
    } else {
      endCall(call, end, line);
      unfinished.delete(thread);
    }
  }
  return calls;
}

function beginCall(rest: string, line: number): OpenCall | undefined {
  const name = BEGIN.exec(rest)?.[1];
  if (name === undefined) return undefined;
  return {
    name,
    args: '',
    start: line,
    end: Number.POSITIVE_INFINITY,
    result: undefined,
    opened: undefined,
  };
}

function endCall(call: OpenCall, rest: string, line: number): void {
  const found = RESULT.exec(rest);
  if (found === null) throw new Error(`line ${line + 1} of the trace: ${rest.slice(0, 200)}`);
  const [, result, opened] = found;
  call.args += rest.slice(0, found.index);
  if (call.args.includes('"...')) throw new Error(`line ${line + 1}: strace has cut a text short`);
  if (result === '?') return;
  call.end = line;
  call.result = Number(result);
  call.opened = opened === undefined ? undefined : bytesOf(opened).toString();
}

const bytesOf = (escaped: string): Buffer => Buffer.from(escaped.replaceAll('\\x', ''), 'hex');

/** The texts among the arguments of a call, one after another: the parts of a vector belong together. */
export const textsOf = ({ args }: Call): Buffer[] =>
  [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) => bytesOf(text));

/** The path of the descriptor that is the first argument. Undefined for one without a name, such as that of a removed file. */
export function fileOf({ args }: Call): string | undefined {
  const [, path, removed] = /^\w+<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/.exec(args) ?? [];
  return path === undefined || removed !== undefined ? undefined : bytesOf(path).toString();
}

/** The paths among the arguments, which may be relative to the descriptors before them. */
export const pathsOf = ({ args }: Call): string[] =>
  [
    ...args.matchAll(/(?:\w+<((?:\\x[0-9a-f]{2})*)>(?:\(deleted\))?, )?"((?:\\x[0-9a-f]{2})*)"/g),
  ].map(([, folder = '', path = '']) => {
    const name = bytesOf(path).toString();
    return name.startsWith('/') ? name : `${bytesOf(folder)}/${name}`;
  });

/** The numbers at the end of the arguments, such as size and position. */
export const numbersOf = ({ args }: Call): number[] =>
  (/(?:, -?\d+)+$/.exec(args)?.[0] ?? '').split(', ').slice(1).map(Number);
