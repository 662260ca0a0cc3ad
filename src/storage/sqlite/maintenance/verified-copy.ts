import { rmSync } from 'node:fs';
import { StorageError } from '../../database.ts';
import {
  CopyInterrupted,
  type CopyOptions,
  type CopyResult,
  FaultsFound,
} from '../../maintenance.ts';
import { statOf } from '../../same-file.ts';
import type { CopyOutcome, CopyTask } from './copy-worker.ts';
import { createUnfinished, isAt } from './unfinished-copies.ts';

const INTERVAL_MS = 100;

interface VerifiedCopyOptions extends CopyOptions {
  /** Whether triggers of another program are warnings instead of faults. */
  readonly acceptsForeign: boolean;
}

/**
 * Copies a catalogue to a new file beside `target`, checks the copy, and passes its path to `place`. When `place` is called,
 * the copy is on disk. Removes the copy if anything fails.
 */
export async function withVerifiedCopy<T>(
  source: string,
  target: string,
  options: VerifiedCopyOptions,
  place: (copy: string, result: CopyResult) => T,
): Promise<T> {
  const { path: copy, file } = await createUnfinished(target);
  try {
    const result = await runCopy(source, copy, target, options);
    await file.sync();
    if (!isAt(file.fd, copy))
      throw new StorageError('unavailable', `${copy} was removed while it was written.`);
    return place(copy, { ...result, bytes: (await file.stat()).size });
  } finally {
    await file.close();
    for (const suffix of ['', '-journal']) rmSync(copy + suffix, { force: true });
  }
}

/** Runs the copy in a thread of its own, so that signals are handled and progress is shown during it. */
async function runCopy(
  source: string,
  copy: string,
  target: string,
  { signal, onProgress, onWarning, acceptsForeign }: VerifiedCopyOptions,
): Promise<Omit<CopyResult, 'bytes'>> {
  const worker = new Worker(new URL('./copy-worker.ts', import.meta.url).href);
  const total = statOf(source)?.size ?? 0;
  const timer = setInterval(() => onProgress(statOf(copy)?.size ?? 0, total), INTERVAL_MS);
  try {
    const outcome = await new Promise<CopyOutcome>((resolve, reject) => {
      const interrupt = () => reject(new CopyInterrupted('The copy was interrupted.'));
      if (signal.aborted) interrupt();
      signal.addEventListener('abort', interrupt, { once: true });
      worker.onmessage = ({ data }: MessageEvent<CopyOutcome>) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage({ source, target: copy, acceptsForeign } satisfies CopyTask);
    });
    if ('result' in outcome) {
      for (const warning of outcome.warnings) onWarning(warning);
      return outcome.result;
    }
    if ('faults' in outcome) throw new FaultsFound(outcome.faults);
    if (outcome.failure === 'full')
      throw new StorageError('full', `No disk space is left for ${target}.`);
    throw new StorageError(outcome.failure, outcome.message);
  } finally {
    clearInterval(timer);
    worker.terminate();
  }
}
