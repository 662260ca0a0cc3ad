import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  commandOf,
  type RunningService,
  runProgram,
  startCommand,
} from '../../../test/support/process.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Disk, TRACED_CALLS } from './disk.ts';
import { type Call, fileOf, parseTrace, textsOf } from './trace.ts';

/** What a process sent through a socket or a pipe. */
export interface Sent {
  /** The line of the trace on which it began. Whatever the text promises must be on disk by then. */
  readonly line: number;
  readonly text: string;
}

/** What a program did to the files of a folder, and what it said. */
export interface Recording {
  readonly disk: Disk;
  readonly sent: readonly Sent[];
}

const RECORDER = [
  'strace',
  // The program is the child of this process, and receives its signals.
  '-D',
  '-f',
  '--seccomp-bpf',
  '-qq',
  '-y',
  '-xx',
  '-s',
  '4000000',
  '-e',
  'signal=none',
  '-e',
  // A processor may lack some.
  `trace=${TRACED_CALLS.map((call) => `?${call}`).join()}`,
];

const LIMIT_MS = 180_000;

/** A folder whose changes are recorded. */
export function recordedFolder() {
  const folder = temporaryFolder({ inMemory: true, runsPrograms: true });
  const root = join(folder.path, 'disk');
  return { ...folder, root, trace: folder.file('trace') };
}
export type RecordedFolder = ReturnType<typeof recordedFolder>;

/** Records a command to its end. @throws if it fails. */
export async function recordCommand(
  folder: RecordedFolder,
  args: readonly string[],
): Promise<Recording> {
  const before = filesOf(folder.root);
  const command = [...RECORDER, '-o', folder.trace, ...commandOf(...args)];
  const { status, stderr } = await runProgram(command);
  if (status !== 0) throw new Error(stderr);
  return recordingOf(folder, before);
}

/** Records the service while it works, and its end. */
export async function recordService(
  folder: RecordedFolder,
  args: readonly string[],
  work: (service: RunningService) => Promise<void>,
): Promise<Recording> {
  const before = filesOf(folder.root);
  const command = [...RECORDER, '-o', folder.trace, ...commandOf('serve', '--port', '0', ...args)];
  const showsKey = before.size === 0;
  const service = await startCommand(command, { showsKey, limitMs: LIMIT_MS });
  try {
    await work(service);
  } finally {
    // strace has the same output, so this also waits for the end of the trace.
    await service.stop();
  }
  return recordingOf(folder, before);
}

function recordingOf(
  { root, trace }: RecordedFolder,
  before: Map<string, Buffer | undefined>,
): Recording {
  const calls = parseTrace(readFileSync(trace, 'latin1'));
  return { disk: new Disk(root, before, calls), sent: calls.flatMap(sentBy) };
}

const SENDS = new Set(['sendto', 'sendmsg', 'write', 'writev']);

function sentBy(call: Call): Sent[] {
  if (!SENDS.has(call.name) || !/^(?:socket|pipe):/.test(fileOf(call) ?? '')) return [];
  return [{ line: call.start, text: Buffer.concat(textsOf(call)).toString('latin1') }];
}

/** The content of all files in a folder, by path. A folder has none. */
function filesOf(root: string): Map<string, Buffer | undefined> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path) : undefined];
    }),
  );
}
