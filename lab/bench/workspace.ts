import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER } from './paths.ts';

/** The files of one run, and its cleanup. */
export interface Workspace {
  /** Returns a folder of this run, created if missing. */
  folder(name: string): string;
  /** Adds a cleanup step. The last one added runs first. */
  onCleanup(undo: () => Promise<void> | void): void;
}

/**
 * Runs `work` in a workspace and cleans up afterwards in any case, also before Ctrl+C or SIGTERM
 * ends the program.
 */
export async function withWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  mkdirSync(CACHE_FOLDER, { recursive: true });
  const root = mkdtempSync(join(CACHE_FOLDER, 'run-'));
  const undoing: (() => Promise<void> | void)[] = [
    () => rmSync(root, { recursive: true, force: true }),
  ];
  const cleanUp = async (): Promise<void> => {
    for (let undo = undoing.pop(); undo !== undefined; undo = undoing.pop()) await undo();
  };
  let isInterrupted = false;
  const interrupted = (signal: NodeJS.Signals): void => {
    isInterrupted = true;
    void cleanUp().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
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
      onCleanup: (undo) => void undoing.push(undo),
    });
  } catch (error) {
    // The failure is due to the cleanup, which is about to end the program.
    if (isInterrupted) await new Promise(() => {});
    throw error;
  } finally {
    await cleanUp();
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}
