import { dirname } from 'node:path';
import { type Call, fileOf, numbersOf, pathsOf, textsOf } from './trace.ts';

/** When something was done, in lines of the trace. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where it begins and ends, unless the process ended before. */
const linesOf = ({ start, end }: Span): number[] => [start, end].filter(Number.isFinite);

/** A change that a power failure may undo until it is certain. */
interface Change extends Span {
  /** From this line on, a sync that began after the change has ended. Infinite if there was none. */
  certainFrom: number;
}

/** A change of the content of a file: bytes at a position, or a new size. */
export interface Write extends Change {
  readonly at: number;
  /** Undefined: the file gets the size `at`. */
  readonly bytes: Buffer | undefined;
}

/** A file or a folder, whatever names it has. */
export interface Node {
  readonly isFolder: boolean;
  /** The content before the trace. */
  readonly before: Buffer;
  readonly writes: Write[];
  /** Where `write` continues. All files of interest are written by one descriptor at a time. */
  position: number;
}

/** A name that a file gets or loses. */
export interface Naming extends Change {
  readonly removes: string | undefined;
  readonly adds: string | undefined;
  readonly node: Node;
}

const newNode = (isFolder: boolean, before: Buffer = Buffer.alloc(0)): Node => ({
  isFolder,
  before,
  writes: [],
  position: 0,
});

/** What a trace did to the files of a folder, and which of it is certain at which time. */
export class Disk {
  /** The files and folders before the trace, by path. */
  readonly before: ReadonlyMap<string, Node>;
  readonly namings: Naming[] = [];
  /** The lines on which a change or a sync begins or ends. */
  readonly moments: number[] = [];
  /** Those of syncs, which are fewer and decide more. */
  readonly syncs: number[] = [];
  /** Those of changed names and of the syncs of folders. */
  readonly namingMoments: number[] = [];
  /** The files at the end of what was replayed, by path. */
  readonly #files: Map<string, Node>;

  /** @param before the files of the folder before the trace, by path; undefined is a folder. All of it is certain. */
  constructor(
    readonly root: string,
    before: ReadonlyMap<string, Buffer | undefined>,
    calls: readonly Call[],
  ) {
    this.before = new Map(
      [...before].map(([path, bytes]) => [path, newNode(bytes === undefined, bytes)]),
    );
    this.#files = new Map([[root, newNode(true)], ...this.before]);
    // In the order in which they ended: an open file has its name only then.
    for (const call of calls.toSorted((one, other) => one.end - other.end)) this.#replay(call);
  }

  #replay(call: Call): void {
    if ((call.result ?? 0) < 0) return;
    const replay = REPLAYS[call.name];
    const paths = replay === undefined || replay.hasPaths ? pathsOf(call) : [];
    const touched = [fileOf(call), call.opened, ...paths];
    if (!touched.some((path) => path !== undefined && this.#contains(path))) return;
    if (replay === undefined)
      throw new Error(`The model of the disk does not know ${call.name}(${call.args})`);
    replay.run(this, call);
    this.moments.push(...linesOf(call));
  }

  #contains = (path: string): boolean => path === this.root || path.startsWith(`${this.root}/`);

  node(path: string | undefined): Node | undefined {
    return path === undefined ? undefined : this.#files.get(path);
  }

  write({ start, end }: Span, path: string | undefined, at: number, bytes?: Buffer): void {
    this.node(path)?.writes.push({ start, end, at, bytes, certainFrom: Number.POSITIVE_INFINITY });
  }

  create(span: Span, path: string, isFolder: boolean): void {
    if (!this.#files.has(path)) this.#name(span, newNode(isFolder), undefined, path);
  }

  rename(span: Span, from: string, to: string): void {
    const node = this.#files.get(from);
    if (node === undefined) throw new Error(`${from} is renamed, and the model does not have it`);
    this.#name(span, node, from, to);
  }

  remove(span: Span, path: string): void {
    const node = this.#files.get(path);
    if (node !== undefined) this.#name(span, node, path, undefined);
  }

  #name(
    { start, end }: Span,
    node: Node,
    removes: string | undefined,
    adds: string | undefined,
  ): void {
    this.namings.push({ start, end, node, removes, adds, certainFrom: Number.POSITIVE_INFINITY });
    this.namingMoments.push(...linesOf({ start, end }));
    if (removes !== undefined) this.#files.delete(removes);
    if (adds !== undefined) this.#files.set(adds, node);
  }

  /** Makes certain what was done to a file or the names in a folder before the sync began. */
  sync({ start, end }: Span, path: string | undefined): void {
    const node = this.node(path);
    if (node === undefined) return;
    this.syncs.push(...linesOf({ start, end }));
    if (node.isFolder) this.namingMoments.push(...linesOf({ start, end }));
    const changes: readonly Change[] = node.isFolder ? this.#namesIn(path) : node.writes;
    for (const change of changes)
      if (change.end < start) change.certainFrom = Math.min(change.certainFrom, end);
  }

  #namesIn = (folder: string | undefined): Naming[] =>
    this.namings.filter(({ adds, removes }) => dirname(adds ?? removes ?? '') === folder);
}

interface Replay {
  /** Whether arguments are paths. */
  readonly hasPaths?: true;
  readonly run: (disk: Disk, call: Call) => void;
}

const open: Replay = {
  hasPaths: true,
  run(disk, call) {
    const [path = ''] = pathsOf(call);
    if (call.args.includes('O_CREAT')) disk.create(call, path, false);
    if (call.args.includes('O_TRUNC')) disk.write(call, path, 0);
    const node = disk.node(path);
    if (node !== undefined) node.position = 0;
  },
};

const writeNext: Replay = {
  run(disk, call) {
    const node = disk.node(fileOf(call));
    if (node === undefined) return;
    const bytes = Buffer.concat(textsOf(call)).subarray(0, call.result);
    disk.write(call, fileOf(call), node.position, bytes);
    node.position += bytes.length;
  },
};

const writeAt: Replay = {
  run(disk, call) {
    const bytes = Buffer.concat(textsOf(call)).subarray(0, call.result);
    disk.write(call, fileOf(call), numbersOf(call).at(-1) ?? 0, bytes);
  },
};

const resize: Replay = {
  run: (disk, call) => disk.write(call, fileOf(call), numbersOf(call)[0] ?? 0),
};
const sync: Replay = { run: (disk, call) => disk.sync(call, fileOf(call)) };
const nothing: Replay = { run() {} };

const rename: Replay = {
  hasPaths: true,
  run(disk, call) {
    const [from = '', to = ''] = pathsOf(call);
    disk.rename(call, from, to);
  },
};

const remove: Replay = {
  hasPaths: true,
  run: (disk, call) => disk.remove(call, pathsOf(call)[0] ?? ''),
};

const makeFolder: Replay = {
  hasPaths: true,
  run: (disk, call) => disk.create(call, pathsOf(call)[0] ?? '', true),
};

/** Every system call that can change a file. One that is missing here must not touch the folder. */
const REPLAYS: Readonly<Record<string, Replay | undefined>> = {
  openat: open,
  open,
  write: writeNext,
  writev: writeNext,
  pwrite64: writeAt,
  pwritev: writeAt,
  ftruncate: resize,
  fsync: sync,
  fdatasync: sync,
  rename,
  renameat: rename,
  renameat2: rename,
  unlink: remove,
  unlinkat: remove,
  rmdir: remove,
  mkdir: makeFolder,
  mkdirat: makeFolder,
  sendto: nothing,
  sendmsg: nothing,
};

/** The system calls to record. */
export const TRACED_CALLS: readonly string[] = [
  ...Object.keys(REPLAYS),
  'creat',
  'truncate',
  'fallocate',
  'pwritev2',
  'copy_file_range',
  'sendfile',
  'splice',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
];
