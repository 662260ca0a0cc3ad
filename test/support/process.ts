import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import '../built-thread.ts';
import { collectedIo } from './collected-io.ts';
import { spawnGuarded } from './guard.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Longer than any process here takes. A process that hangs is killed, and then its test fails: the timeout of tests is a minute or more. */
const PROCESS_LIMIT_MS = 50_000;

type Variables = Readonly<Record<string, string>>;

/** With compilers only for code that runs often, with fewer threads and larger pages of memory, a start takes a third less processor time. */
const SHORT_LIVED: Variables = {
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_useDFGJIT: '0',
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  BUN_JSC_useWarmUpMarkedBlocks: '0',
  MIMALLOC_ALLOW_THP: '1',
};
const RUNTIME = process.env['TEST_BUILT'] ? SHORT_LIVED : {};

/** The environment of a process contains no setting unless its test adds one. */
export const BARE = {
  PATH: process.env['PATH'] ?? '',
  HOME: tmpdir(),
  TMPDIR: tmpdir(),
  ...RUNTIME,
};

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly variables?: Variables;
  /** The standard input of the process. Empty by default. */
  readonly input?: string | Uint8Array;
  /** The process is killed after this time. */
  readonly limitMs?: number;
}

/** Runs a program until it exits. */
export async function runProgram(
  command: readonly string[],
  { cwd = ROOT, variables = {}, input = '', limitMs = PROCESS_LIMIT_MS }: RunOptions = {},
): Promise<Outcome> {
  const child = spawnGuarded([...command], {
    cwd,
    env: { ...BARE, ...variables },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  await child.exited;
  return { status: child.exitCode, stdout, stderr };
}

/** The executable that also runs all commands: `lab/drills/artefacts.drill.ts` sets it. */
const EXECUTABLE = process.env['TEST_EXECUTABLE'];

/** The executable of `npm test`, which starts in less than half the time that the sources take. */
const BUILT = EXECUTABLE ?? process.env['TEST_BUILT'];

/** The command line that runs animal-store with these arguments. */
export const commandOf = (...args: readonly string[]): string[] =>
  BUILT === undefined ? sourceCommandOf(...args) : [BUILT, ...args];

/** The same from the sources. */
export const sourceCommandOf = (...args: readonly string[]): string[] => [
  process.execPath,
  PROGRAM,
  ...args,
];

/** Runs animal-store with these arguments in a process of its own until it exits. */
export const runAnimalStore = (args: readonly string[], options?: RunOptions): Promise<Outcome> =>
  runProgram(commandOf(...args), options);

/** The same in this process, unless it serves: a process takes a quarter of a second to start. This process is in `cwd` meanwhile. */
export async function animalStore(
  args: readonly string[],
  { cwd = process.cwd(), variables = {}, input }: Omit<RunOptions, 'limitMs'> = {},
): Promise<Outcome> {
  if (EXECUTABLE !== undefined || args[0] === 'serve')
    return runAnimalStore(args, { cwd, variables, ...(input && { input }) });
  const { run } = await import('../../src/cli/program.ts');
  const { io, stdout, stderr } = collectedIo({ ...BARE, ...variables }, input);
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const status = await run(args, io);
    return { status, stdout: stdout(), stderr: stderr() };
  } finally {
    process.chdir(before);
  }
}

/** A log record of the service. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Is killed where it is disposed of. */
export interface RunningService extends AsyncDisposable {
  readonly pid: number;
  readonly origin: string;
  /** The first key, if standard error contains it. */
  readonly firstKey: string | undefined;
  /** The log so far. */
  stdout(): string;
  /** The standard error so far. */
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the outcome when the process has exited. */
  ended(): Promise<Outcome>;
  /** Sends SIGTERM, and waits until the process exits. */
  stop(): Promise<Outcome>;
}

/** Starts the service on a free port, and resolves when it is ready. */
export function startService(
  database: string,
  flags: readonly string[] = [],
  options?: Omit<RunOptions, 'input'>,
): Promise<RunningService> {
  const command = commandOf('serve', '--database', database, '--port', '0', ...flags);
  return startCommand(command, { ...options, showsKey: !existsSync(database) });
}

interface StartOptions extends Omit<RunOptions, 'input'> {
  /** Whether to wait for the first key, which follows the line with the base URL. */
  readonly showsKey?: boolean;
}

/** Starts a command that serves, and resolves when it is ready. */
export async function startCommand(
  command: readonly string[],
  { cwd = ROOT, variables = {}, showsKey = true, limitMs = PROCESS_LIMIT_MS }: StartOptions = {},
): Promise<RunningService> {
  const child = spawnGuarded([...command], {
    cwd,
    env: { ...BARE, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const last = showsKey ? /^ {2}curl .*\n/m : / serves .*\n/;
  const { promise: isReady, resolve } = Promise.withResolvers<boolean>();
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr, (text) => {
    if (last.test(text)) resolve(true);
  });
  const ended = async (): Promise<Outcome> => {
    await Promise.all([child.exited, stdout.finished, stderr.finished]);
    return { status: child.exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };
  stderr.finished.then(() => resolve(false));
  // A service whose worker fails to start shows the first key without an address.
  if (!(await isReady) || !stderr.text().includes(' serves ')) {
    const { status, stderr } = await ended();
    throw new Error(`The service did not start (exit status ${status}): ${stderr}`);
  }
  const origin = / serves (http:\/\/\S+)\/v1 /.exec(stderr.text())?.[1] ?? '';
  return {
    pid: child.pid,
    origin,
    firstKey: /^ {2}(ask_(?:live|test)_\w+)$/m.exec(stderr.text())?.[1],
    stdout: stdout.text,
    stderr: stderr.text,
    signal: (signal) => child.kill(signal),
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended();
    },
  };
}

/** Reads a stream to its end. `text` is what was read so far. */
export function collect(stream: ReadableStream<Uint8Array>, onText = (_text: string) => {}) {
  const decoder = new TextDecoder();
  let text = '';
  const finished = (async () => {
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      onText(text);
    }
  })();
  return { text: () => text, finished };
}

/** Resolves when `condition` is true. @throws if it does not become true in time. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedMs = Date.now();
  for (let sinceMs = startedMs; !(await condition()); sinceMs = Date.now()) {
    if (Date.now() - startedMs > PROCESS_LIMIT_MS / 2)
      throw new Error(`Timeout while waiting for ${condition}`);
    // The processor is for what it waits for.
    await sleep(Math.max(5, 2 * (Date.now() - sinceMs)));
  }
}

/** Resolves when the log of a service contains an event. */
export const untilLogged = ({ stdout }: RunningService, event: string): Promise<void> =>
  until(() => stdout().includes(`"event.name":"${event}"`));

/** The lines that have arrived: the last one may have arrived in part. */
export const parseLog = (stdout: string): LogLine[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The names of the events in a log, in order, without those of requests. */
export const eventNames = (stdout: string): unknown[] =>
  parseLog(stdout)
    .map((line) => line['event.name'])
    .filter((name) => name !== 'request');

/** A folder for one test, and the path of a database file in it that does not exist yet. On a disk, each commit takes 5 ms. */
export function workplace() {
  const folder = temporaryFolder({ inMemory: true, runsPrograms: true });
  const database = folder.file('animals.db');
  return {
    ...folder,
    database,
    /** The names of all files of the folder, ascending. */
    files: () => readdirSync(folder.path).sort(),
    has: (name: string) => existsSync(folder.file(name)),
    read: (name: string) => readFileSync(folder.file(name)),
    write: (name: string, content: string | Uint8Array) =>
      Bun.write(folder.file(name), content).then(() => folder.file(name)),
  };
}
export type Workplace = ReturnType<typeof workplace>;

/** Gives a test a workplace, and removes it afterwards. */
export const inWorkplace =
  (test: (place: Workplace) => Promise<void>): (() => Promise<void>) =>
  async () => {
    using place = workplace();
    await test(place);
  };

/** Runs `work`, and kills the service afterwards. */
export async function withService<T>(
  service: RunningService,
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  await using running = service;
  return await work(running);
}

export const bearer = (key: string): { headers: Record<string, string> } => ({
  headers: { Authorization: `Bearer ${key}` },
});

export const post = (origin: string, key: string, path: string, body: unknown): Promise<Response> =>
  fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { ...bearer(key).headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

export const postPet = (origin: string, key: string, pet: unknown): Promise<Response> =>
  post(origin, key, '/pets', pet);

/** A message of one line that starts with the program's name and contains no stack trace. */
export const ONE_SENTENCE = /^animal-store: [^\n]+\.\n$/;
