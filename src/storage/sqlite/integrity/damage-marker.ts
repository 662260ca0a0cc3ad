import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** A file beside the database file that says what was found. The next start obeys it. Lost changes also stop the processes that still run. */
const markerOf = (path: string): string => `${path}-damaged`;

const DAMAGED = 'Damage was found. The next start checks the whole database.\n';

/** A check does not find that committed changes are missing. */
const CHANGES_LOST =
  'Changes that the service had acknowledged are lost. The next start refuses this database: restore a backup.\n' +
  'To continue without these changes, make this file empty. The next start then checks the whole database.\n';

export const hasDamageMarker = (path: string): boolean => existsSync(markerOf(path));

/** Whether the marker says that committed changes are missing. */
export const hasLostChanges = (path: string): boolean =>
  hasDamageMarker(path) && readFileSync(markerOf(path), 'utf8') === CHANGES_LOST;

export function createDamageMarker(path: string, { changesLost }: { changesLost: boolean }): void {
  try {
    // Of several processes, one may find damage of another kind.
    if (changesLost || !hasDamageMarker(path))
      writeFileSync(markerOf(path), changesLost ? CHANGES_LOST : DAMAGED, { mode: 0o600 });
  } catch {
    // The disk is full, or the folder is gone. The damage is in the log, too.
  }
}

/** Call it after a check of the whole file has passed, or for a new file. */
export const removeDamageMarker = (path: string): void => rmSync(markerOf(path), { force: true });
