import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../../test/support/process.ts';
import type { Running, Trouble } from './round.ts';
import type { Call, Injection } from './strace.ts';

/** Longer than strace takes to stop a process by the signal that it injects. */
const STOP_MS = 10;

/** One call fails. */
export const failing = (suffix: Trouble['suffix'], injection: Injection): Trouble => ({
  suffix,
  calls: injection.call,
  injection,
});

const isSync = ({ name }: Call): boolean => name === 'fsync';

/** The last sync that did what it is for. */
const lastSync = (calls: readonly Call[]): number =>
  calls.findLastIndex((call) => isSync(call) && call.result === 0 && !call.isInjected);

/** The writes of a file that no sync has followed. */
const unsynced = (calls: readonly Call[]): Call[] =>
  calls.slice(lastSync(calls) + 1).filter(({ name, result }) => name === 'pwrite64' && result > 0);

/**
 * A sync fails, and the kernel drops what was written since the last one, as Linux does: the file has its earlier content, and
 * the next sync succeeds.
 */
export class DroppedPages implements Trouble {
  readonly calls = 'pwrite64,fsync';
  readonly injection: Injection;
  /** The content of the file when a sync was the last call. */
  #onDisk = Buffer.alloc(0);
  #dropped: readonly Call[] | undefined;

  /** @param effect of strace on the sync: `retval=0` is a disk that lies. */
  constructor(
    readonly suffix: Trouble['suffix'],
    nth: number,
    effect = 'error=EIO',
  ) {
    // While the process is stopped, its files do not change.
    this.injection = { call: 'fsync', effect: `${effect}:signal=SIGSTOP`, nth };
  }

  async begin({ file }: Running): Promise<void> {
    this.#onDisk = readFileSync(file);
  }

  beforeStop({ file }: Running, calls: readonly Call[]): void {
    if (this.#dropped === undefined && unsynced(calls).length === 0)
      this.#onDisk = readFileSync(file);
  }

  async watch({ pid, file, judge }: Running, calls: readonly Call[]): Promise<void> {
    const failed = calls.findIndex(({ isInjected }) => isInjected);
    if (this.#dropped !== undefined || failed === -1) return;
    this.#dropped = unsynced(calls.slice(0, failed));
    await sleep(STOP_MS);
    restore(file, this.#onDisk, this.#dropped);
    await judge('killed at the failed sync');
    process.kill(pid, 'SIGCONT');
  }

  /** All that was dropped must be written again before a sync of the file succeeds. */
  problems(calls: readonly Call[]): string[] {
    const failed = calls.findIndex(({ isInjected }) => isInjected);
    const after = calls.slice(failed + 1);
    const next = after.findIndex(isSync);
    if (failed === -1 || this.suffix !== '') return [];
    if (next === -1) return ['no sync of the database file followed the failed one'];
    const again = new Set(after.slice(0, next).map(({ position }) => position));
    const missing = (this.#dropped ?? []).filter(({ position }) => !again.has(position));
    if (missing.length === 0) return [];
    return [`${missing.length} pages were not written again after the failed sync`];
  }
}

/** Gives parts of a file the content that they had. */
function restore(file: string, content: Buffer, writes: readonly Call[]): void {
  const descriptor = openSync(file, 'r+');
  for (const { position = 0, bytes = 0 } of writes) {
    const old = Buffer.alloc(bytes);
    content.subarray(position, position + bytes).copy(old);
    writeSync(descriptor, old, 0, bytes, position);
  }
  closeSync(descriptor);
}

/** Limits the size of the files that a process writes. A write across the limit is short, and the next one fails. */
async function limitFiles(pid: number, limit: number | 'unlimited'): Promise<void> {
  const { status, stderr } = await runProgram([
    'prlimit',
    `--pid=${pid}`,
    `--fsize=${limit}:unlimited`,
  ]);
  if (status !== 0) throw new Error(stderr);
}

const isShort = ({ bytes = 0, result }: Call): boolean => result > 0 && result < bytes;

/** Where a write ends that is cut in half. */
const middleOf = ({ position = 0, bytes = 0 }: Call): number => position + Math.floor(bytes / 2);

/** A write to the end of the -wal is short, and its rest fails. */
export const shortAppend = (call: Call): Trouble => ({
  suffix: '-wal',
  calls: 'pwrite64',
  isHit: isShort,
  begin: ({ pid }) => limitFiles(pid, middleOf(call)),
  recover: ({ pid }) => limitFiles(pid, 'unlimited'),
});

/** The same in a checkpoint. The limit is set when it begins, because the -wal is larger than the file. */
export class ShortInCheckpoint implements Trouble {
  readonly suffix = '';
  readonly calls = 'pwrite64';
  readonly injection = { call: 'pwrite64', effect: 'signal=SIGSTOP', nth: 1 };
  readonly isHit = isShort;
  readonly mayFailChanges = true;
  #state: 'waiting' | 'limited' | 'over' = 'waiting';

  constructor(readonly call: Call) {}

  async watch({ pid }: Running, calls: readonly Call[]): Promise<void> {
    if (this.#state === 'waiting' && calls.length > 0) {
      await sleep(STOP_MS);
      await limitFiles(pid, middleOf(this.call));
      process.kill(pid, 'SIGCONT');
      this.#state = 'limited';
    } else if (this.#state === 'limited' && calls.some(isShort)) await this.recover({ pid });
  }

  async recover({ pid }: Pick<Running, 'pid'>): Promise<void> {
    await limitFiles(pid, 'unlimited');
    this.#state = 'over';
  }
}
