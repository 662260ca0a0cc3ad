import { existsSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file beside the database file that says that damage was detected. Without it, the next start,
 * which does not check everything, would use the damaged file again.
 */
const markerOf = (path: string): string => `${path}-damaged`;

export const hasDamageMarker = (path: string): boolean => existsSync(markerOf(path));

/** Ignores failures (disk full, folder removed): the damage is in the log, too. */
export function createDamageMarker(path: string): void {
  try {
    writeFileSync(markerOf(path), 'Damage was found. The next start checks the whole database.\n', {
      mode: 0o600,
    });
  } catch {
    // Ignored, see above.
  }
}

/** Call it after a check of the whole file has passed, or for a new file. */
export const removeDamageMarker = (path: string): void => rmSync(markerOf(path), { force: true });
