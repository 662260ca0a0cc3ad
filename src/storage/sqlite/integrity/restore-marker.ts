import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file beside the database file that exists while a restore exchanges the files of the database. The exchange takes
 * several steps: between them, the files do not belong together. It contains the path that the old file gets.
 */
const markerOf = (path: string): string => `${path}-restoring`;

/** Undefined unless a restore is exchanging the files, or was interrupted while it did. */
export function interruptedRestore(path: string): { readonly kept: string } | undefined {
  const marker = markerOf(path);
  return existsSync(marker) ? { kept: readFileSync(marker, 'utf8').trim() } : undefined;
}

export const createRestoreMarker = (path: string, kept: string): void =>
  writeFileSync(markerOf(path), `${kept}\n`, { mode: 0o600, flush: true });

export const removeRestoreMarker = (path: string): void => rmSync(markerOf(path), { force: true });
