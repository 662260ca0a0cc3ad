import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file beside the database file that exists while a restore exchanges the files of the database. The exchange takes
 * several steps: between them, the files do not belong together. It contains the path that the old file gets.
 */
const markerOf = (path: string): string => `${path}-restoring`;

interface InterruptedRestore {
  /** The path that the old file gets. Undefined if the crash was before the marker was complete: no file was renamed. */
  readonly replaced: string | undefined;
}

/** Undefined unless a restore is exchanging the files, or was interrupted while it did. */
export function interruptedRestore(path: string): InterruptedRestore | undefined {
  const marker = markerOf(path);
  if (!existsSync(marker)) return undefined;
  const content = readFileSync(marker, 'utf8');
  return { replaced: content.endsWith('\n') ? content.slice(0, -1) : undefined };
}

/** @param replaced the path that the old file gets. */
export const createRestoreMarker = (path: string, replaced: string): void =>
  writeFileSync(markerOf(path), `${replaced}\n`, { mode: 0o600, flush: true });

export const removeRestoreMarker = (path: string): void => rmSync(markerOf(path), { force: true });
