import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER } from './paths.ts';

/** Where one run keeps its files, and what it has to undo at its end. */
export interface Place {
  /** A folder of this run for whoever asks, made if it is not there. */
  folder(name: string): string;
  /** Adds what is to be done at the end. The last one added is done first. */
  atEnd(undo: () => Promise<void> | void): void;
}

/**
 * Runs `work` with a place, and clears the place up afterwards whatever happens: also on Ctrl+C
 * and on SIGTERM, which end the program.
 */
export async function withPlace<T>(work: (place: Place) => Promise<T>): Promise<T> {
  mkdirSync(CACHE_FOLDER, { recursive: true });
  const root = mkdtempSync(join(CACHE_FOLDER, 'run-'));
  const undoing: (() => Promise<void> | void)[] = [
    () => rmSync(root, { recursive: true, force: true }),
  ];
  const clearUp = async (): Promise<void> => {
    for (let undo = undoing.pop(); undo !== undefined; undo = undoing.pop()) await undo();
  };
  let isInterrupted = false;
  const interrupted = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    void clearUp().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    return await work({
      folder(name) {
        const path = join(root, name);
        mkdirSync(path, { recursive: true });
        return path;
      },
      atEnd: (undo) => void undoing.push(undo),
    });
  } catch (error) {
    // What fails now fails because its processes were stopped: the end of the program is near.
    if (isInterrupted) await new Promise(() => {});
    throw error;
  } finally {
    await clearUp();
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}
