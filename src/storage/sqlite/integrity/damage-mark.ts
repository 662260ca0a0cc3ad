import { existsSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A file beside the database file says that damage was found in it. Otherwise the next start, which
 * does not look at everything, would serve it again until somebody meets the damage.
 */
const markOf = (path: string): string => `${path}-damaged`;

export const isMarkedAsDamaged = (path: string): boolean => existsSync(markOf(path));

/** Where the mark cannot be made (disk full, folder gone), the log has the damage all the same. */
export function markAsDamaged(path: string): void {
  try {
    writeFileSync(markOf(path), 'Damage was found. The next start checks the whole database.\n', {
      mode: 0o600,
    });
  } catch {
    // See above.
  }
}

/** Removes the mark, once the whole file was found to be sound. */
export const removeMark = (path: string): void => rmSync(markOf(path), { force: true });
